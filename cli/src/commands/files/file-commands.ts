// `export`, `diff` and `apply`: a project's draft as a file, for version control and pull requests.
import { writeFileSync } from 'node:fs'
import { type Command, type CommandInput, type Shown, textOption } from '../../frame/command.ts'
import { type Context, createContext } from '../../frame/context.ts'
import { Failure } from '../../frame/failure.ts'
import { applyDocument, type DocumentSource, readDraft, showDifferences } from './draft.ts'
import { readProjectFile, writeProjectFile } from './project-file.ts'
import { watchFolder } from './watch/watch-folder.ts'
import { createWatchStatus, serveStatus } from './watch/watch-status.ts'

const defaultInterval = 30
const fileArg = [['<file>', 'a project in YAML, as `sallyport export` writes it']] as const
const pruneOption = ['--prune', 'remove the tiers, prompts, webhooks and budgets that the file lacks'] as const

export const fileCommands: readonly Command[] = [
  {
    name: 'export',
    summary: 'Write the draft of a project as YAML',
    example: 'sallyport export --project amber-falcon-4821 --out project.yaml',
    options: [['--out <file>', 'write it there (default: stdout)']],
    async run(input, context) {
      const { slug } = await context.project()
      const draft = await readDraft(context)
      const text = writeProjectFile(`${context.url}/schemas/project-v1.json`, draft)
      const out = textOption(input, 'out')
      if (out === undefined) return { json: draft, text: text.trimEnd() }
      writeFileSync(out, text)
      return { json: { file: out }, text: `The draft of ${slug} is in ${out}.\nNext: sallyport diff ${out}` }
    },
  },
  {
    name: 'diff',
    summary: 'Show what a file would change in the draft; exit code 2 if anything',
    example: 'sallyport diff project.yaml --project amber-falcon-4821',
    args: fileArg,
    options: [pruneOption],
    run: (input, context) => showDifferences(readSource(input, true), context),
  },
  {
    name: 'apply',
    summary: 'Write a file to the draft: all of it, or nothing; or a folder of them, again and again',
    example: 'sallyport apply project.yaml --deploy --project amber-falcon-4821',
    args: [['[file]', fileArg[0][1]]],
    options: [
      pruneOption,
      ['--deploy', 'deploy the draft afterwards'],
      ['--dry-run', 'check and show, change nothing'],
      ['--watch <folder>', 'apply its files until Ctrl+C, each named after the slug or id of its project'],
      ['--interval <seconds>', `how often --watch compares them, 1-1200 (default: ${defaultInterval})`],
      ['--listen <port>', 'where --watch serves /metrics and /healthz (default: nowhere)'],
    ],
    async run(input, context) {
      const application = readApplication(input)
      const folder = textOption(input, 'watch')
      if (folder !== undefined) return { lines: watch(input, context, folder) }
      if (input.args.length === 0) throw new Failure('Which file?', 'Name one, or a folder with --watch.', 'usage')
      return await applyDocument(readSource(input, application.isDry), application, context)
    },
  },
]

export function readApplication({ options }: CommandInput) {
  return { deploys: options['deploy'] === true, isDry: options['dryRun'] === true }
}

async function* watch(input: CommandInput, context: Context, folder: string): AsyncIterable<Shown> {
  const { deploys, isDry } = readApplication(input)
  if (isDry || input.args.length > 0) throw new Failure('--watch takes neither a file nor --dry-run', null, 'usage')
  const status = createWatchStatus()
  const port = readNumber(input, 'listen', null, { min: 1, max: 65_535 })
  const intervalSeconds = readNumber(input, 'interval', defaultInterval, { min: 1, max: 1200 }) ?? defaultInterval
  const ending = new AbortController()
  // As Kubernetes ends a pod.
  process.once('SIGTERM', () => ending.abort())
  const stopServing = port === null ? null : await serveStatus(status, port)
  try {
    yield* watchFolder({
      folder,
      intervalSeconds,
      deploys,
      read: path => readSource({ ...input, args: [path] }, false),
      contextOf: project =>
        createContext({ ...input.options, url: context.url, project }, process.env, () => context.signal),
      status,
      signal: AbortSignal.any([context.signal, ending.signal]),
    })
  } finally {
    stopServing?.()
  }
}

function readNumber<Default>(
  input: CommandInput,
  name: string,
  absent: Default,
  { min, max }: { min: number; max: number },
): number | Default {
  const text = textOption(input, name)
  if (text === undefined) return absent
  const number = /^\d+$/.test(text) ? Number(text) : -1
  if (number < min || number > max) throw new Failure(`--${name} must be a number ${min}-${max}`, null, 'usage')
  return number
}

function readSource({ args: [path = ''], options }: CommandInput, isSecretOptional: boolean): DocumentSource {
  const { document, fail } = readProjectFile(path, { environment: process.env, isSecretOptional })
  return { document: { ...document, prune: options['prune'] === true }, look: `sallyport diff ${path}`, fail }
}
