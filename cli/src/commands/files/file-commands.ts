// `export`, `diff` and `apply`: a project's draft as a file, for version control and pull requests.
import { writeFileSync } from 'node:fs'
import { type ManagementRoutes, SallyportError } from '@sallyport/sdk'
import { type Command, type CommandInput, textOption } from '../../frame/command.ts'
import type { Context } from '../../frame/context.ts'
import { Failure } from '../../frame/failure.ts'
import { showChanges } from '../show-changes.ts'
import { type ProjectFile, readProjectFile, writeProjectFile } from './project-file.ts'

const path = '/auth/v1/projects/{projectId}/draft'
type Document = ManagementRoutes[`PUT ${typeof path}`]['input']['body']

const fileArg = [['<file>', 'a project in YAML, as `sallyport export` writes it']] as const
const pruneOption = ['--prune', 'remove the tiers and prompts that the file lacks'] as const

export const fileCommands: readonly Command[] = [
  {
    name: 'export',
    summary: 'Write the draft of a project as YAML',
    example: 'sallyport export --project amber-falcon-4821 --out project.yaml',
    options: [['--out <file>', 'write it there (default: stdout)']],
    async run(input, context) {
      const { id: projectId, slug } = await context.project()
      const draft = await context.client().request('GET', path, { path: { projectId } })
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
    async run(input, context) {
      const { changes } = await compare(readFile(input), input, context)
      if (changes.length === 0) return { json: changes, text: 'The draft is what the file says.' }
      return { json: changes, text: showChanges(changes), ending: 'differs' }
    },
  },
  {
    name: 'apply',
    summary: 'Write a file to the draft: all of it, or nothing',
    example: 'sallyport apply project.yaml --deploy --project amber-falcon-4821',
    args: fileArg,
    options: [
      pruneOption,
      ['--deploy', 'deploy the draft afterwards'],
      ['--dry-run', 'check and show, change nothing'],
    ],
    run: apply,
  },
]

async function apply(input: CommandInput, context: Context) {
  const file = readFile(input)
  const compared = await compare(file, input, context)
  const shown = compared.changes.length === 0 ? 'The draft is what the file says.' : showChanges(compared.changes)
  if (input.options['dryRun'] === true) return { json: { ...compared, applied: false }, text: shown }
  const { id: projectId, slug } = await context.project()
  const client = context.client()
  const request = { path: { projectId }, headers: { 'If-Match': compared.etag }, body: toDocument(file, input) }
  const applied = await client.request('PUT', path, request).catch(error => explain(error, file))
  if (input.options['deploy'] !== true) {
    return {
      json: { ...applied, applied: true },
      text: `${shown}\nApplied to the draft of ${slug}.\nNext: sallyport deploy`,
    }
  }
  const { deployed_at: at } = await client.request('POST', '/auth/v1/projects/{projectId}/settings/deploy', {
    path: { projectId },
  })
  return {
    json: { ...applied, applied: true, deployed_at: at },
    text: `${shown}\nApplied, and deployed ${slug} at ${at}.`,
  }
}

function readFile({ args: [path = ''] }: CommandInput): ProjectFile {
  return readProjectFile(path, process.env)
}

async function compare(file: ProjectFile, input: CommandInput, context: Context) {
  const { id: projectId } = await context.project()
  const request = { path: { projectId }, body: toDocument(file, input) }
  return await context
    .client()
    .request('POST', `${path}/compare`, request)
    .catch(error => explain(error, file))
}

function toDocument({ settings, tiers, prompts }: ProjectFile, { options }: CommandInput): Document {
  return { settings, tiers, prompts, prune: options['prune'] === true } as Document
}

function explain(error: unknown, file: ProjectFile): never {
  if (!(error instanceof SallyportError)) throw error
  if (error.status === 400) file.fail(error.message)
  if (error.code === 'draft_changed') {
    throw new Failure(`${error.message}; nothing was applied`, `Look again: sallyport diff ${file.path}`, error.code)
  }
  throw error
}
