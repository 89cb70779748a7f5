import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.CharArraySet;
import org.apache.lucene.analysis.LowerCaseFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.compound.DictionaryCompoundWordTokenFilter;
import org.apache.lucene.analysis.snowball.SnowballFilter;
import org.apache.lucene.analysis.standard.StandardTokenizer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.BoostQuery;
import org.apache.lucene.search.FuzzyQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.store.ByteBuffersDirectory;

/**
 * Words of documents are split into those that the documents have, by Lucene's dictionary compound filter; queries are
 * not. Reads products.tsv (id, title, text) and queries.tsv (a limit, a text); prints the ids for each query in a line.
 */
public class LuceneCompounds {
  private static final int SHORTEST_WORD = 6;
  private static final int SHORTEST_PART = 3;
  private static final int LONGEST_PART = 40;

  public static void main(String[] arguments) throws IOException {
    Path folder = Path.of(arguments[0]);
    String language = arguments[1];
    List<String> products = Files.readAllLines(folder.resolve("products.tsv"));
    CharArraySet words = new CharArraySet(wordsOf(products), false);
    Analyzer split = analyzer(language, words);
    Analyzer plain = analyzer(language, null);
    ByteBuffersDirectory directory = new ByteBuffersDirectory();
    try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig(split))) {
      for (String line : products) {
        String[] columns = line.split("\t", -1);
        Document document = new Document();
        document.add(new StringField("id", columns[0], Field.Store.YES));
        document.add(new TextField("title", columns[1], Field.Store.NO));
        document.add(new TextField("text", columns[2], Field.Store.NO));
        writer.addDocument(document);
      }
      writer.forceMerge(1);
    }
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    try (DirectoryReader reader = DirectoryReader.open(directory)) {
      IndexSearcher searcher = new IndexSearcher(reader);
      for (String line : Files.readAllLines(folder.resolve("queries.tsv"))) {
        String[] columns = line.split("\t", -1);
        StringBuilder ids = new StringBuilder();
        for (ScoreDoc hit : searcher.search(query(columns[1], plain), Integer.parseInt(columns[0])).scoreDocs) {
          if (ids.length() > 0) ids.append('\t');
          ids.append(searcher.doc(hit.doc).get("id"));
        }
        out.println(ids);
      }
    }
    out.flush();
  }

  /** @param words those that words are split into; null where they stay whole */
  private static Analyzer analyzer(String language, CharArraySet words) {
    return new Analyzer() {
      @Override
      protected TokenStreamComponents createComponents(String field) {
        Tokenizer tokenizer = new StandardTokenizer();
        TokenStream tokens = new LowerCaseFilter(tokenizer);
        if (words != null)
          tokens = new DictionaryCompoundWordTokenFilter(
              tokens, words, SHORTEST_WORD, SHORTEST_PART, LONGEST_PART, false);
        return new TokenStreamComponents(tokenizer, new SnowballFilter(tokens, language));
      }
    };
  }

  /** Any of the words, also misspelt by as many letters as Elasticsearch allows by `AUTO`; the title counts twice. */
  private static BooleanQuery query(String text, Analyzer analyzer) throws IOException {
    BooleanQuery.Builder builder = new BooleanQuery.Builder();
    for (String word : tokens(text, analyzer)) {
      int edits = word.length() < 3 ? 0 : word.length() < 6 ? 1 : 2;
      builder.add(
          new BoostQuery(new FuzzyQuery(new Term("title", word), edits), 2), BooleanClause.Occur.SHOULD);
      builder.add(new FuzzyQuery(new Term("text", word), edits), BooleanClause.Occur.SHOULD);
    }
    return builder.build();
  }

  private static Set<String> wordsOf(List<String> products) throws IOException {
    Set<String> words = new LinkedHashSet<>();
    Analyzer whole =
        new Analyzer() {
          @Override
          protected TokenStreamComponents createComponents(String field) {
            Tokenizer tokenizer = new StandardTokenizer();
            return new TokenStreamComponents(tokenizer, new LowerCaseFilter(tokenizer));
          }
        };
    for (String line : products) words.addAll(tokens(line.replace('\t', '\n'), whole));
    return words;
  }

  private static Set<String> tokens(String text, Analyzer analyzer) throws IOException {
    Set<String> found = new LinkedHashSet<>();
    try (TokenStream tokens = analyzer.tokenStream("text", text)) {
      CharTermAttribute term = tokens.getAttribute(CharTermAttribute.class);
      tokens.reset();
      while (tokens.incrementToken()) found.add(term.toString());
      tokens.end();
    }
    return found;
  }
}
