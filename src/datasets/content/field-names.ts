import { fold } from '../../analysis/fold.ts'

/** What fields are for, by what they are called. */
export const fieldRoles = [
  'id',
  'title',
  'text',
  'price',
  'category',
  'code',
  'stock',
  'brand',
  'address',
  'date',
] as const
/** What a field is for. */
export type FieldRole = (typeof fieldRoles)[number]

/**
 * Names in the languages whose small words are known (analysis/function-words.ts); the likelier come first. A name of several
 * words has them in this order, with others around them.
 */
const lists: Readonly<Record<FieldRole, string>> = {
  id:
    'id, uid, uuid, key, identifier, product id, item id, article id, sku, article number, article no, item number, item no, ' +
    'product number, product no, part number, part no, product code, item code, handle, ' +
    'artikelnummer, artikelnr, artikel nr, artnr, art nr, artikel nummer, produktnummer, produkt nr, bestellnummer, bestell nr, materialnummer, nummer, nr, ' +
    'identifiant, reference, ref, numero article, numero de article, code article, code produit, ' +
    'referencia, codigo, codigo articulo, codigo producto, numero de articulo, ' +
    'codice, codice articolo, codice prodotto, riferimento, ' +
    'codigo do produto, codigo do artigo, ' +
    'artikelcode, productnummer, bestelnummer, ' +
    'varenummer, varenr, vare nr, produktnummer, ' +
    'artikelnummer, art nr, produktnr, ' +
    'артикул, номер, код, код товара, идентификатор',
  title:
    'title, name, product name, product title, item name, article name, label, headline, subject, designation, ' +
    'titel, bezeichnung, artikelbezeichnung, artikelname, produktname, produktbezeichnung, produkttitel, benennung, kurzbezeichnung, kurztext, ' +
    'titre, nom, libelle, intitule, nom du produit, ' +
    'titulo, nombre, denominacion, designacion, nombre del producto, ' +
    'titolo, nome, denominazione, nome prodotto, ' +
    'nome do produto, designacao, denominacao, ' +
    'naam, productnaam, artikelnaam, benaming, omschrijving kort, ' +
    'navn, varenavn, produktnavn, betegnelse, tittel, ' +
    'namn, produktnamn, artikelnamn, benamning, rubrik, ' +
    'название, наименование, имя, заголовок',
  text:
    'description, long description, text, body, details, content, summary, body html, ' +
    'beschreibung, langtext, langbeschreibung, artikelbeschreibung, produktbeschreibung, beschreibungstext, ' +
    'descriptif, texte, ' +
    'descripcion, texto, detalle, ' +
    'descrizione, testo, ' +
    'descricao, ' +
    'omschrijving, beschrijving, tekst, ' +
    'beskrivelse, ' +
    'beskrivning, ' +
    'описание, текст',
  price:
    'price, sale price, selling price, unit price, list price, retail price, amount, cost, msrp, rrp, ' +
    'preis, vk, vk preis, verkaufspreis, bruttopreis, nettopreis, listenpreis, uvp, stuckpreis, stueckpreis, ' +
    'prix, prix ttc, prix ht, tarif, ' +
    'precio, pvp, ' +
    'prezzo, ' +
    'preco, ' +
    'prijs, verkoopprijs, ' +
    'pris, utpris, ' +
    'цена, стоимость',
  category:
    'category, categories, product type, product category, tags, tag, group, department, breadcrumb, taxonomy, collection, type, ' +
    'kategorie, kategorien, warengruppe, produktgruppe, artikelgruppe, sortiment, rubrik, kategoriepfad, ' +
    'categorie, categories, rayon, famille, ' +
    'categoria, categorias, familia, seccion, ' +
    'reparto, famiglia, ' +
    'categorie pad, productgroep, groep, ' +
    'kategori, varegruppe, produktgruppe, ' +
    'varugrupp, ' +
    'категория, раздел, группа',
  code:
    'ean, gtin, upc, isbn, asin, mpn, barcode, sku, model number, model no, hersteller nr, herstellernummer, ean code, gtin13, ean13, ' +
    'strichcode, code barres, codigo de barras, codice a barre, streepjescode, strekkode, streckkod, штрихкод',
  stock:
    'stock, stock level, quantity, qty, inventory, available, availability, on hand, ' +
    'bestand, lagerbestand, lager, menge, verfugbar, verfuegbar, anzahl, ' +
    'quantite, disponible, ' +
    'existencias, cantidad, inventario, disponibilidad, ' +
    'giacenza, quantita, disponibilita, scorte, ' +
    'estoque, quantidade, ' +
    'voorraad, aantal, ' +
    'lagerbeholdning, antal, antall, beholdning, ' +
    'lagersaldo, saldo, ' +
    'остаток, количество, наличие',
  brand:
    'brand, manufacturer, vendor, maker, supplier, ' +
    'marke, hersteller, lieferant, herstellername, markenname, ' +
    'marque, fabricant, fournisseur, marca, fabricante, proveedor, produttore, fornitore, merk, fabrikant, leverancier, ' +
    'maerke, producent, leverandor, varumarke, tillverkare, leverantor, бренд, производитель, марка',
  address:
    'url, link, image, image url, picture, photo, href, website, email, bild, bild url, bildurl, foto, image src, imagen, immagine, imagem, ' +
    'afbeelding, billede, bilde, lien, enlace, ссылка, картинка, фото, изображение',
  date:
    'date, created, created at, updated, updated at, modified, datum, angelegt, angelegt am, geandert, geandert am, erstellt, ' +
    'fecha, data, dato, дата',
}

/** Words whose names are not those of what is sold: `brand name`, `file name`. */
const others = new Set(
  (
    'brand category categories group supplier vendor manufacturer maker file image user customer company shop store tag ' +
    'marke hersteller kategorie warengruppe lieferant datei bild kunde firma meta seo alt parent variant option currency ' +
    'marque categorie fournisseur fabricant fichier marca categoria proveedor fabricante archivo fornitore produttore ' +
    'merk leverancier kategori leverandor varumarke tillverkare бренд категория производитель'
  ).split(' '),
)

type Names = readonly (readonly string[])[]

const names = new Map<FieldRole, Names>(
  fieldRoles.map(role => [
    role,
    fold(lists[role])
      .split(', ')
      .map(name => name.split(' ')),
  ]),
)

const longest = 100

/** The words of a name, folded: `Art.-Nr.`, `product_name`, `ProductName`. */
export function nameWords(name: string): string[] {
  const parted = name.slice(0, longest).replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
  return fold(parted)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '')
}

/**
 * How well a name is one of a role: 1 where it is that name, less where it has other words besides or is a less likely one; 0 where it
 * is none.
 */
export function nameFit(name: string, role: FieldRole): number {
  const words = nameWords(name)
  let best = 0
  for (const [place, wanted] of names.get(role)!.entries()) {
    const at = placeOf(wanted, words)
    if (at < 0) continue
    const rest = words.filter((_, i) => i < at || i >= at + wanted.length)
    if (role === 'title' && rest.some(word => others.has(word))) continue
    const exactness = rest.length === 0 ? 1 : 0.7 / (1 + 0.3 * (rest.length - 1))
    best = Math.max(best, exactness - 0.001 * place)
  }
  return best
}

function placeOf(wanted: readonly string[], words: readonly string[]): number {
  for (let at = 0; at + wanted.length <= words.length; at++)
    if (wanted.every((word, i) => words[at + i] === word)) return at
  return -1
}
