// `import litellm` and `import portkey`: write a file of a project from the configuration of another gateway.
import { readFileSync, writeFileSync } from 'node:fs'
import { parseDocument, stringify } from 'yaml'
import { type Command, textOption } from '../../frame/command.ts'
import { Failure } from '../../frame/failure.ts'
import { printError } from '../../frame/terminal.ts'
import type { Carried } from './carried.ts'
import { readLitellm } from './read-litellm.ts'
import { readPortkey } from './read-portkey.ts'

export const importCommands: readonly Command[] = [
  importCommand('litellm', "the proxy's config.yaml", readLitellm),
  importCommand('portkey', 'a config as JSON', readPortkey),
]

function importCommand(name: string, meaning: string, read: (document: unknown) => Carried): Command {
  return {
    name: `import ${name}`,
    summary: `Write a project file from ${meaning}; sends nothing`,
    example: `sallyport import ${name} ${name === 'litellm' ? 'config.yaml' : 'config.json'} --out project.yaml`,
    args: [['<file>', meaning]],
    options: [['--out <file>', 'write it there (default: stdout)']],
    async run(input, context) {
      const [path = ''] = input.args
      const document = parseDocument(readFileSync(path, 'utf8'))
      const [fault] = document.errors
      if (fault !== undefined) throw new Failure(`${path}: ${fault.message}`)
      const carried = read(document.toJS())
      const text = render(carried, `${context.url}/schemas/project-v1.json`)
      const out = textOption(input, 'out')
      if (out !== undefined) writeFileSync(out, text)
      if (input.options['json'] !== true) printError(report(carried, out))
      return { json: { ...carried, file: out ?? null }, text: out === undefined ? text.trimEnd() : '' }
    },
  }
}

function render({ settings }: Carried, schema: string): string {
  return `# yaml-language-server: $schema=${schema}\n${stringify({ $schema: schema, settings }, { lineWidth: 100 })}`
}

/** On stderr, beside the file: what was carried, what is to do, and what was left. */
function report({ settings, keys, left }: Carried, out: string | undefined): string {
  const carried = Object.keys(settings)
  const commands = keys.map(({ provider, variable, baseUrl, note }) => {
    const options = [
      ...(variable === null ? [] : [`--from-env ${variable}`]),
      ...(baseUrl === null ? [] : [`--base-url ${baseUrl}`]),
    ]
    return `  sallyport ${['providers set', provider, ...options].join(' ')}${note === null ? '' : `   # ${note}`}`
  })
  return [
    `Carried over: ${carried.length === 0 ? 'nothing' : carried.join(', ')}.`,
    ...(commands.length === 0 ? [] : ['Store the provider keys:', ...commands]),
    ...(left.length === 0 ? [] : ['Left out:', ...left.map(({ what, why }) => `  ${what}: ${why}`)]),
    ...(out === undefined ? [] : [`Next: sallyport diff ${out}`]),
  ].join('\n')
}
