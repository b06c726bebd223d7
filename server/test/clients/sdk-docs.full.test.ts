// The snippets of the SDK's documentation compile, against the SDK and the official clients as they are installed.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { checkout } from '../docs/fences.ts'
import { fencesOf } from '../docs/runners.ts'
import { run } from './packed-sdk.ts'

/** What a reader's application has around a snippet. */
const surroundings: Record<string, string> = {
  app: `{ get(path: string, handler: (
    request: { query: Record<string, string>; session: { userId: string }; user: { id: string } },
    response: { set(name: string, value: string): void; json(body: object): void },
  ) => Promise<void>): void }`,
  auth: '() => Promise<{ user: { id: string } } | null>',
  clerk: '{ session: { getToken(options?: { template: string }): Promise<string> } }',
  management: "import('@sallyport/sdk/management').Management",
  openai: "import('openai').OpenAI",
  output: 'HTMLOutputElement',
  setAnswer: '(update: (answer: string) => string) => void',
  useChat: `(options: { transport: import('ai').ChatTransport<import('ai').UIMessage> }) =>
    Record<'messages' | 'sendMessage' | 'status' | 'error', unknown>`,
  userSession: 'string',
  process: '{ env: Record<string, string> }',
  password: 'string',
  projectId: 'string',
  requestId: 'string',
  apiKey: 'string',
  baseUrl: 'string',
  token: 'string',
  tokenProvider: "import('@sallyport/sdk').TokenProvider",
  sallyport: "import('@sallyport/sdk').Sallyport",
}

const snippets = fencesOf('clients/sdk-docs.full.test.ts').map(
  ({ page, section, language, code }): [place: string, language: string, code: string] => [
    `${page}, ${section}`,
    language,
    code,
  ],
)

test('there are snippets', () => {
  expect(snippets.length).toBeGreaterThan(13)
})

test.each(snippets)('%s', async (_place, language, code) => {
  const cache = join(checkout, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'sdk-snippet-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const imports = code.match(/^import .*$/gm) ?? []
  const rest = code.replace(/^import .*$/gm, '').replace(/^export /gm, '')
  const isDefined = (name: string) => new RegExp(`const ${name}\\b|const \\{[^}]*\\b${name}\\b[^}]*\\} =`).test(rest)
  const around = Object.entries(surroundings).filter(([name]) => !isDefined(name))
  const declared = around.map(([name, type]) => `declare const ${name}: ${type}`)
  const source = [...imports, ...declared, 'export async function snippet() {', rest, '}'].join('\n')
  const file = language === 'jsx' ? 'snippet.tsx' : 'snippet.ts'
  writeFileSync(join(folder, file), source)
  // The snippets are JavaScript: their own functions declare no types.
  const flags = [
    '--noEmit',
    '--strict',
    '--noImplicitAny',
    'false',
    '--skipLibCheck',
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
    '--jsx',
    'react-jsx',
  ]
  const typescript = join(checkout, 'node_modules/typescript/bin/tsc')
  const args = [typescript, ...flags, '--target', 'es2024', '--lib', 'es2024,dom', '--types', '', file]
  expect(await run(process.execPath, args, folder).catch((error: Error) => error.message)).toBe('')
})
