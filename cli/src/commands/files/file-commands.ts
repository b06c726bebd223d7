// `export`, `diff` and `apply`: a project's draft as a file, for version control and pull requests.
import { writeFileSync } from 'node:fs'
import { type Command, type CommandInput, textOption } from '../../frame/command.ts'
import { applyDocument, type DocumentSource, readDraft, showDifferences } from './draft.ts'
import { readProjectFile, writeProjectFile } from './project-file.ts'

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
    summary: 'Write a file to the draft: all of it, or nothing',
    example: 'sallyport apply project.yaml --deploy --project amber-falcon-4821',
    args: fileArg,
    options: [
      pruneOption,
      ['--deploy', 'deploy the draft afterwards'],
      ['--dry-run', 'check and show, change nothing'],
    ],
    run: (input, context) => {
      const application = readApplication(input)
      return applyDocument(readSource(input, application.isDry), application, context)
    },
  },
]

export function readApplication({ options }: CommandInput) {
  return { deploys: options['deploy'] === true, isDry: options['dryRun'] === true }
}

function readSource({ args: [path = ''], options }: CommandInput, isSecretOptional: boolean): DocumentSource {
  const { document, fail } = readProjectFile(path, { environment: process.env, isSecretOptional })
  return { document: { ...document, prune: options['prune'] === true }, look: `sallyport diff ${path}`, fail }
}
