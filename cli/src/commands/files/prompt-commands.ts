// `prompts`: the prompts of a project's draft as a folder with a file for each, for version control and editors.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, type CommandInput, textOption } from '../../frame/command.ts'
import { Failure } from '../../frame/failure.ts'
import { renderTable } from '../../frame/table.ts'
import { terminalWidth } from '../../frame/terminal.ts'
import { applyDocument, type DocumentSource, type DraftDocument, readDraft, showDifferences } from './draft.ts'
import { readApplication } from './file-commands.ts'
import { readYamlFile, writeYaml, type YamlFile } from './yaml-file.ts'

const defaultFolder = 'prompts'
const extension = '.yaml'
const fields = { names: ['messages', 'variables', 'model', 'params'], called: 'field' }

/** As the draft shows it. */
interface Prompt {
  name: string
  messages: readonly { role: string }[]
  variables: Record<string, unknown>
  model: string | null
}

const namesArg = [['[names...]', 'of prompts; all of the folder if there are none']] as const
const folderOption = ['--dir <folder>', `where the files are (default: ${defaultFolder})`] as const
const pruneOption = ['--prune', 'remove the prompts that the folder lacks'] as const

export const promptCommands: readonly Command[] = [
  {
    name: 'prompts',
    summary: 'List the prompts of the draft; pull, compare and push them as files',
    example: 'sallyport prompts --project amber-falcon-4821',
    async run(_input, context) {
      const prompts = toPrompts((await readDraft(context)).prompts)
      const text = renderTable(
        prompts,
        [
          ['PROMPT', ({ name }) => name],
          ['MESSAGES', ({ messages }) => messages.map(({ role }) => role).join(', ')],
          ['VARIABLES', ({ variables }) => Object.keys(variables).join(', ')],
          ['MODEL', ({ model }) => model],
        ],
        terminalWidth(),
      )
      return { json: prompts, text }
    },
  },
  {
    name: 'prompts pull',
    summary: 'Write the prompts of the draft to a folder, a file for each',
    example: 'sallyport prompts pull --dir prompts --project amber-falcon-4821',
    args: [['[names...]', 'of prompts; all if there are none']],
    options: [folderOption],
    async run(input, context) {
      const all = toPrompts((await readDraft(context)).prompts)
      const prompts = input.args.length === 0 ? all : input.args.map(name => getPrompt(all, name))
      const folder = folderOf(input)
      mkdirSync(folder, { recursive: true })
      const files = prompts.map(({ name, ...prompt }) => {
        const file = join(folder, name + extension)
        writeFileSync(file, writeYaml(prompt))
        return file
      })
      const next = `Next: sallyport prompts diff --dir ${folder}`
      return { json: { files }, text: `Written: ${files.join(', ') || 'nothing, there are no prompts'}.\n${next}` }
    },
  },
  {
    name: 'prompts diff',
    summary: 'Show what the files would change in the draft; exit code 2 if anything',
    example: 'sallyport prompts diff tutor --project amber-falcon-4821',
    args: namesArg,
    options: [folderOption, pruneOption],
    run: async (input, context) => await showDifferences(readSource(input), context),
  },
  {
    name: 'prompts push',
    summary: 'Write the files to the draft: all of them, or nothing',
    example: 'sallyport prompts push tutor --deploy --project amber-falcon-4821',
    args: namesArg,
    options: [
      folderOption,
      pruneOption,
      ['--deploy', 'deploy the draft afterwards, with its settings and tiers: a new version'],
      ['--dry-run', 'check and show, change nothing'],
    ],
    run: async (input, context) => await applyDocument(readSource(input), readApplication(input), context),
  },
]

function folderOf(input: CommandInput): string {
  return textOption(input, 'dir') ?? defaultFolder
}

function toPrompts(given: readonly Record<string, unknown>[]): Prompt[] {
  return given as unknown as Prompt[]
}

function getPrompt(prompts: readonly Prompt[], name: string): Prompt {
  const found = prompts.find(prompt => prompt.name === name)
  if (found === undefined) throw new Failure(`There is no prompt ${name}`, '`sallyport prompts` lists them.')
  return found
}

/** The file says all of a prompt but its name. */
function readSource(input: CommandInput): DocumentSource {
  const folder = folderOf(input)
  const prune = input.options['prune'] === true
  if (prune && input.args.length > 0) {
    throw new Failure('--prune is about all files of the folder', 'Leave out the names, or --prune.')
  }
  const names = input.args.length === 0 ? namesIn(folder) : input.args
  const files = names.map(name => readYamlFile(join(folder, name + extension), { environment: process.env }, fields))
  const prompts = files.map((file, at) => ({ ...file.fields, name: names[at] }))
  const document = { prompts, prune } as DraftDocument
  return { document, look: `sallyport prompts diff --dir ${folder}`, fail: message => failIn(files, message) }
}

function namesIn(folder: string): string[] {
  const names = readdirSync(folder).filter(name => name.endsWith(extension))
  if (names.length === 0) throw new Failure(`${folder} has no files of prompts`, 'Write them: sallyport prompts pull')
  return names.sort().map(name => name.slice(0, -extension.length))
}

/** The server names a prompt by its place in the list. */
function failIn(files: readonly YamlFile[], message: string): never {
  const [path = '', at = ''] = /^prompts\[(\d+)\][.:]? ?/.exec(message) ?? []
  const file = files[Number(at)]
  if (path === '' || file === undefined) throw new Failure(message, 'Nothing was applied.', 'invalid_file')
  return file.fail(message.slice(path.length))
}
