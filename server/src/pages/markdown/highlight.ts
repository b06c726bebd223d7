// Marks comments, strings, numbers and keywords in code. One scanner for all languages of the documentation: they
// differ in the mark of a comment and in their keywords only.
import { escapeHtml } from '../../http/markup.ts'

interface Language {
  comment: RegExp | null
  keywords: ReadonlySet<string>
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))
const slashes = /\/\/.*|\/\*[\s\S]*?\*\//
const hash = /(?<![\w$"'&{])#.*/

const script: Language = {
  comment: slashes,
  keywords: words(
    'as async await break case catch class const continue default delete do else export extends false finally for from ' +
      'function if import in instanceof interface let new null of return switch this throw true try type typeof ' +
      'undefined void while yield',
  ),
}
const shell: Language = {
  comment: hash,
  keywords: words('case do done elif else esac export fi for function if in then until while'),
}
const languages: Record<string, Language> = {
  js: script,
  jsx: script,
  ts: script,
  tsx: script,
  vue: script,
  json: { comment: null, keywords: words('true false null') },
  sh: shell,
  bash: shell,
  dockerfile: { comment: hash, keywords: words('FROM RUN COPY ENV CMD') },
  yaml: { comment: hash, keywords: words('true false null') },
  toml: { comment: hash, keywords: words('true false') },
  python: {
    comment: hash,
    keywords: words(
      'and as async await class def elif else except False finally for from if import in is lambda None not or pass raise ' +
        'return True try while with yield',
    ),
  },
  ruby: {
    comment: hash,
    keywords: words('begin class def do else end false if module nil require rescue return self true'),
  },
  go: {
    comment: slashes,
    keywords: words(
      'break case const continue default defer else false for func go if import interface map nil package range return ' +
        'struct switch true type var',
    ),
  },
  php: {
    comment: /\/\/.*|\/\*[\s\S]*?\*\/|#.*/,
    keywords: words('array class echo else false fn foreach function if namespace new null public return true use'),
  },
}

const string = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/
const number = /(?<![\w.-])\d[\d_]*(?:\.\d+)?(?![\w.-])/
const word = /(?<![\w$.-])[A-Za-z]\w*(?![\w-])/

/** Returns escaped HTML. Code of unknown languages is only escaped. */
export function highlight(code: string, name: string): string {
  const language = Object.hasOwn(languages, name) ? languages[name] : undefined
  if (language === undefined) return escapeHtml(code)
  const { comment, keywords } = language
  const pieces = [
    ...(comment === null ? [] : [`(?<comment>${comment.source})`]),
    `(?<string>${string.source})`,
    `(?<number>${number.source})`,
    `(?<word>${word.source})`,
  ]
  let result = ''
  let at = 0
  for (const match of code.matchAll(new RegExp(pieces.join('|'), 'g'))) {
    const [text] = match
    result += escapeHtml(code.slice(at, match.index)) + mark(text, kindOf(match.groups ?? {}, keywords))
    at = match.index + text.length
  }
  return result + escapeHtml(code.slice(at))
}

function kindOf(groups: Record<string, string | undefined>, keywords: ReadonlySet<string>): string | null {
  const { comment, string: quoted, number: digits, word: name } = groups
  if (comment !== undefined) return 'comment'
  if (quoted !== undefined) return 'string'
  if (digits !== undefined) return 'number'
  return name !== undefined && keywords.has(name) ? 'keyword' : null
}

const mark = (text: string, kind: string | null): string =>
  kind === null ? escapeHtml(text) : `<span class="${kind}">${escapeHtml(text)}</span>`
