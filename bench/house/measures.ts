import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { percentile } from '../metrics.ts'
import { table } from '../report.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const places = ['src', 'adapters/http/src'] as const
const entries = ['src/index.ts', 'src/extract.ts', 'src/schemas.ts', 'adapters/http/src/index.ts'] as const

/** A list of at least so many literals is data, not code. */
const DATA = 20

export interface SourceMeasures {
  readonly files: number
  readonly tokens: number
  /** Lines of the body of each function, the least first. */
  readonly functions: Float64Array
}

/** What a file holds: tokens without comments and lists of data, and the lines of its functions. */
export function measuresOf(
  source: string,
): Pick<SourceMeasures, 'tokens'> & { readonly functions: readonly number[] } {
  const tree = ts.createSourceFile('a.ts', source, ts.ScriptTarget.Latest, true)
  const functions: number[] = []
  let tokens = 0
  const visit = (node: ts.Node): void => {
    if (isData(node)) return
    if (ts.isToken(node) && node.kind !== ts.SyntaxKind.EndOfFileToken) tokens++
    if (isMeasuredFunction(node)) functions.push(linesOf(node, tree))
    for (const child of node.getChildren(tree)) if (!ts.isJSDoc(child)) visit(child)
  }
  visit(tree)
  return { tokens, functions }
}

/** Functions with a name or a body of statements: an arrow of one expression is part of the statement it stands in. */
function isMeasuredFunction(node: ts.Node): node is ts.FunctionLikeDeclaration {
  return (
    ts.isFunctionLike(node) && 'body' in node && node.body !== undefined && ts.isBlock(node.body as ts.Node)
  )
}

/** Of the body, without blank ones and comments. */
function linesOf({ body }: ts.FunctionLikeDeclaration, tree: ts.SourceFile): number {
  const text = body!.getText(tree).slice(1, -1)
  return text.split('\n').filter(line => !/^\s*(?:$|\/\/|\/\*|\*)/.test(line)).length
}

function isData(node: ts.Node): boolean {
  const isList = ts.isArrayLiteralExpression(node) || ts.isObjectLiteralExpression(node)
  return isList && isLiteral(node) && literalsIn(node) >= DATA
}

function isLiteral(node: ts.Node): boolean {
  if (ts.isArrayLiteralExpression(node)) return node.elements.every(isLiteral)
  if (ts.isObjectLiteralExpression(node))
    return node.properties.every(one => ts.isPropertyAssignment(one) && isLiteral(one.initializer))
  if (ts.isPrefixUnaryExpression(node)) return isLiteral(node.operand)
  const { kind } = node
  return (
    ts.isLiteralExpression(node) ||
    kind === ts.SyntaxKind.TrueKeyword ||
    kind === ts.SyntaxKind.FalseKeyword ||
    kind === ts.SyntaxKind.NullKeyword
  )
}

function literalsIn(node: ts.Node): number {
  if (ts.isArrayLiteralExpression(node)) return node.elements.reduce((sum, one) => sum + literalsIn(one), 0)
  if (ts.isObjectLiteralExpression(node))
    return node.properties.reduce(
      (sum, one) => sum + literalsIn((one as ts.PropertyAssignment).initializer),
      0,
    )
  return 1
}

function measuresIn(place: string): SourceMeasures {
  const files = readdirSync(join(root, place), { recursive: true, encoding: 'utf8' }).filter(file =>
    /\.c?ts$/.test(file),
  )
  const measured = files.map(file => measuresOf(readFileSync(join(root, place, file), 'utf8')))
  return {
    files: files.length,
    tokens: measured.reduce((sum, { tokens }) => sum + tokens, 0),
    functions: Float64Array.from(measured.flatMap(({ functions }) => functions)).sort(),
  }
}

/** Names that an entry exports: all, and those that are types alone. */
function exportsOf(program: ts.Program, entry: string): { all: number; types: number } {
  const checker = program.getTypeChecker()
  const symbol = checker.getSymbolAtLocation(program.getSourceFile(join(root, entry))!)!
  const exported = checker.getExportsOfModule(symbol)
  const isType = (one: ts.Symbol) => {
    const { flags } = one.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(one) : one
    const isExportedAsType = one.declarations?.some(
      declaration =>
        ts.isExportSpecifier(declaration) && (declaration.isTypeOnly || declaration.parent.parent.isTypeOnly),
    )
    return (flags & ts.SymbolFlags.Value) === 0 || isExportedAsType === true
  }
  return { all: exported.length, types: exported.filter(isType).length }
}

/** How large the sources are, and how much of them is public. */
export function houseReport(): string {
  const config = ts.getParsedCommandLineOfConfigFile(
    join(root, 'tsconfig.json'),
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} },
  )!
  const program = ts.createProgram(
    entries.map(entry => join(root, entry)),
    config.options,
  )
  const sizes = places.map(place => {
    const { files, tokens, functions } = measuresIn(place)
    const lengths = [0.5, 0.9].map(share => `${percentile(functions, share)}`)
    return [place, `${files}`, `${tokens}`, `${functions.length}`, ...lengths, `${functions.at(-1)}`]
  })
  const names = entries.map(entry => {
    const { all, types } = exportsOf(program, entry)
    return [entry, `${all}`, `${types}`]
  })
  return [
    table(['', 'files', 'tokens', 'functions', 'median lines', 'p90 lines', 'longest'], sizes),
    table(['', 'exported names', 'of them types'], names),
  ].join('\n\n')
}
