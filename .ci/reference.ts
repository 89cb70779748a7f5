/** Writes src/REFERENCE.md: what src/index.ts, src/extract.ts and src/plot.ts export, by its docstrings. */
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('..', import.meta.url))
export const target = join(root, 'src/REFERENCE.md')

/** What every example goes on from. */
export const opening = `import { Engine } from 'findling'

const engine = await Engine.open()
const products = await engine.datasets.create('products')
await products.documents.bulk([
  { id: 'p1', title: 'Wireless headphones', desc: 'Noise cancelling', price: 89, tag: ['audio'] },
  { id: 'p2', title: 'Wireless keyboard', desc: 'Quiet keys', price: 35, tag: ['office'] },
  { id: 'p3', title: 'Garden hose', desc: '25 m, brass nozzle', price: 19, tag: ['garden'] },
])
`

interface Docstring {
  readonly text: string
  readonly examples: readonly string[]
}

/** A method with all its overloads, or a property. */
export interface Member extends Docstring {
  readonly name: string
  readonly isMethod: boolean
  readonly signatures: readonly string[]
}

export interface Declaration extends Docstring {
  readonly name: string
  readonly kind: 'class' | 'type'
  readonly code: string
  readonly members: readonly Member[]
}

export async function publicDeclarations(): Promise<Declaration[]> {
  const paths = new Map<string, string>()
  for (const entry of ['src/index.ts', 'src/extract.ts', 'src/plot.ts']) {
    for (const statement of (await parsed(entry)).statements) {
      if (!ts.isExportDeclaration(statement) || !statement.moduleSpecifier) continue
      const path = join('src', (statement.moduleSpecifier as ts.StringLiteral).text)
      const { elements } = statement.exportClause as ts.NamedExports
      for (const { name } of elements) if (!paths.has(name.text)) paths.set(name.text, path)
    }
  }
  const names = new Set(paths.keys())
  return await Promise.all([...paths].map(([name, path]) => declarationOf(name, path, names)))
}

export async function reference(): Promise<string> {
  const all = await publicDeclarations()
  const byName = (one: Declaration, other: Declaration) => (one.name < other.name ? -1 : 1)
  const classes = all.filter(({ kind }) => kind === 'class').sort((a, b) => rank(a) - rank(b) || byName(a, b))
  const types = all.filter(({ kind }) => kind === 'type').sort(byName)
  const link = linksTo([
    ...classes.flatMap(({ name, members }) => [name, ...members.map(member => titleOf(name, member))]),
    'Types and functions',
    ...types.map(({ name }) => name),
  ])
  const contents = [
    ...classes.map(({ name, members }) => {
      return `- ${link(name)}: ${members.map(member => link(titleOf(name, member), member.name)).join(', ')}`
    }),
    `- ${link('Types and functions')}: ${types.map(({ name }) => link(name)).join(', ')}`,
  ]
  const parts = [
    '# Reference',
    'Everything that `findling` exports, `findling/extract` (`Extractor`, `extract` and their types) and `findling/plot` (plots as SVG, the report, and their types). `npm run reference` generates this file from the docstrings. The [README](../README.md) is the introduction.',
    `Every example continues from this:\n\n${block(opening)}`,
    contents.join('\n'),
    ...classes.flatMap(one => [
      `## ${one.name}`,
      one.code && block(one.code),
      ...described(one),
      ...one.members.flatMap(member => [
        `### ${titleOf(one.name, member)}`,
        block(member.signatures.join('\n')),
        ...described(member),
      ]),
    ]),
    '## Types and functions',
    ...types.flatMap(one => [`### ${one.name}`, one.text, block(one.code)]),
  ]
  return `${parts.filter(part => part !== '').join('\n\n')}\n`
}

const order = [
  'Engine',
  'Datasets',
  'Dataset',
  'Documents',
  'Tags',
  'Services',
  'Service',
  'SearchService',
  'Job',
  'Namespace',
  'FindlingError',
]
const rank = ({ name }: Declaration): number => order.indexOf(name) >>> 0

const described = ({ text, examples }: Docstring): string[] => [text, ...examples.map(block)]
const block = (code: string): string => `\`\`\`ts\n${code.trimEnd()}\n\`\`\``
const titleOf = (owner: string, { name, isMethod }: Member): string =>
  `${owner}${name.startsWith('[') ? '' : '.'}${name}${isMethod ? '()' : ''}`

/** Links to headings, which are given in their order: an anchor that was there before gets a number. */
function linksTo(titles: readonly string[]): (title: string, shown?: string) => string {
  const seen = new Map<string, number>()
  const anchors = new Map<string, string>()
  for (const title of titles) {
    const anchor = anchorOf(title)
    const before = seen.get(anchor) ?? 0
    seen.set(anchor, before + 1)
    anchors.set(title, before === 0 ? anchor : `${anchor}-${before}`)
  }
  return (title, shown = title) => `[\`${shown}\`](#${anchors.get(title)})`
}

/** What GitHub makes of a heading that stands on a page once. */
export function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(' ', '-')
    .replace(/[^\w-]/g, '')
}

async function parsed(path: string): Promise<ts.SourceFile> {
  const text = await readFile(join(root, path), 'utf8')
  return ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true)
}

/** The declaration of that name in the file, or in the one that it comes from there. */
async function declarationOf(name: string, path: string, names: ReadonlySet<string>): Promise<Declaration> {
  const file = await parsed(path)
  for (const statement of file.statements) {
    if (ts.isClassDeclaration(statement) && statement.name?.text === name) {
      const code = parentOf(statement)
      return { name, kind: 'class', code, ...docstringOf(statement), members: membersOf(statement) }
    }
    if (isType(statement) && statement.name.text === name) return await typeOf(name, statement, path, names)
    if (ts.isFunctionDeclaration(statement) && statement.name?.text === name) {
      const code = signatureOf(statement).replace(/^export /, '')
      return { name, kind: 'type', code, ...docstringOf(statement), members: [] }
    }
    if (ts.isVariableStatement(statement)) {
      const { declarations } = statement.declarationList
      if (declarations.some(one => one.name.getText() === name))
        return await typeOf(name, statement, path, names)
    }
    if (ts.isExportDeclaration(statement) && statement.moduleSpecifier && statement.exportClause) {
      const { elements } = statement.exportClause as ts.NamedExports
      const from = join(dirname(path), (statement.moduleSpecifier as ts.StringLiteral).text)
      if (elements.some(element => element.name.text === name)) return await declarationOf(name, from, names)
    }
  }
  throw new Error(`${path} declares no ${name}`)
}

type TypeDeclaration = ts.InterfaceDeclaration | ts.TypeAliasDeclaration

const isType = (node: ts.Node): node is TypeDeclaration =>
  ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)

/** A type is shown with what it is made of that no heading of its own describes. */
async function typeOf(
  name: string,
  node: TypeDeclaration | ts.VariableStatement,
  path: string,
  names: ReadonlySet<string>,
): Promise<Declaration> {
  const parts = isType(node) ? await partsOf(node, path, new Set([...names, name])) : []
  const code = [node, ...parts].map(part => part.getText().replace(/^export /, '')).join('\n\n')
  return { name, kind: 'type', code, ...docstringOf(node), members: [] }
}

/** Types and constants that a type names and that are not known yet, and what these name. */
async function partsOf(node: ts.Node, path: string, known: Set<string>): Promise<ts.Node[]> {
  const parts: ts.Node[] = []
  for (const name of namesIn(node)) {
    if (known.has(name)) continue
    known.add(name)
    const found = await declaredIn(name, path)
    if (found) parts.push(found.node, ...(await partsOf(found.node, found.path, known)))
  }
  return parts
}

/** The types and constants that a type names, in their order. */
function namesIn(node: ts.Node): string[] {
  const names: string[] = []
  const visit = (part: ts.Node) => {
    if (ts.isTypeReferenceNode(part)) names.push(part.typeName.getText())
    if (ts.isExpressionWithTypeArguments(part)) names.push(part.expression.getText())
    if (ts.isTypeQueryNode(part)) names.push(part.exprName.getText())
    ts.forEachChild(part, visit)
  }
  if (!ts.isVariableStatement(node)) visit(node)
  return names
}

/** A type or constant of that name, from the file or from where the file imports it; none for what comes from elsewhere. */
async function declaredIn(name: string, path: string): Promise<{ node: ts.Node; path: string } | undefined> {
  for (const statement of (await parsed(path)).statements) {
    const isNamed = isType(statement)
      ? statement.name.text === name
      : ts.isVariableStatement(statement) &&
        statement.declarationList.declarations[0]?.name.getText() === name
    if (isNamed) return { node: statement, path }
    if (!ts.isImportDeclaration(statement)) continue
    const bindings = statement.importClause?.namedBindings
    const { text: from } = statement.moduleSpecifier as ts.StringLiteral
    if (!from.startsWith('.') || !bindings || !ts.isNamedImports(bindings)) continue
    if (bindings.elements.some(element => element.name.text === name))
      return await declaredIn(name, join(dirname(path), from))
  }
  return undefined
}

/** What a class has from another. */
function parentOf({ name, heritageClauses }: ts.ClassDeclaration): string {
  const parent = heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)
  return parent ? `class ${name?.text} ${parent.getText()}` : ''
}

/** What a user can call and read; overloads hide the signature of what implements them. */
function membersOf(owner: ts.ClassDeclaration): Member[] {
  const members = new Map<string, Member>()
  for (const node of owner.members) {
    const isPublic = !node.name || !ts.isPrivateIdentifier(node.name)
    if (!node.name || !isPublic || (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Private) !== 0)
      continue
    if (ts.getJSDocTags(node).some(({ tagName }) => tagName.text === 'internal')) continue
    const name = node.name.getText()
    const known = members.get(name)
    const implementsOverloads = known && ts.isMethodDeclaration(node) && node.body
    if (implementsOverloads) continue
    const doc = docstringOf(node)
    members.set(name, {
      name,
      isMethod: ts.isMethodDeclaration(node),
      signatures: [...(known?.signatures ?? []), signatureOf(node)],
      text: [known?.text, doc.text].filter(Boolean).join('\n\n'),
      examples: [...(known?.examples ?? []), ...doc.examples],
    })
  }
  return [...members.values()]
}

function signatureOf(node: ts.ClassElement | ts.FunctionDeclaration): string {
  const text = node.getText()
  const end = ts.isPropertyDeclaration(node) ? node.initializer : (node as ts.MethodDeclaration).body
  const head = end ? text.slice(0, end.getStart() - node.getStart()) : text
  return head
    .trim()
    .replace(/ =$/, '')
    .replace(/^(static )?async \*?/, '$1')
    .replace(/^get (\w+)\(\)/, 'readonly $1')
    .replace(/^ {2}/gm, '')
}

function docstringOf(node: ts.Node): Docstring {
  const [comment] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc).slice(-1)
  if (!comment) return { text: '', examples: [] }
  const lines = comment
    .getText()
    .replace(/^\/\*\*\s?|\s*\*\/$/g, '')
    .split('\n')
    .map(line => line.replace(/^\s*\* ?/, ''))
  const [text = '', ...tags] = lines.join('\n').split(/^@/m)
  const examples = tags.filter(tag => tag.startsWith('example'))
  const others = tags.filter(tag => !tag.startsWith('example')).map(tag => `\`${tag.trim()}\``)
  return {
    text: [text.trim(), ...others].join('\n\n').trim(),
    examples: examples.map(tag => tag.slice('example'.length).trim()),
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeFile(target, await reference())
