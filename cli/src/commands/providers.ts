// `providers`: the keys of providers that a tenant has. A key is never an argument: other users of a machine see those.
import { text as readText } from 'node:stream/consumers'
import { type Command, textOption } from '../frame/command.ts'
import { Failure } from '../frame/failure.ts'
import { renderTable } from '../frame/table.ts'
import { terminalWidth } from '../frame/terminal.ts'

const path = '/auth/v1/tenants/{tenantId}/providers'

export const providerCommands: readonly Command[] = [
  {
    name: 'providers',
    summary: "List a tenant's provider keys; set, remove them",
    example: 'sallyport providers',
    async run(_input, context) {
      const { id: tenantId } = await context.tenant()
      const listed = await context.client().request('GET', path, { path: { tenantId } })
      const providers = 'providers' in listed ? listed.providers : []
      const text = renderTable(
        providers,
        [
          ['PROVIDER', one => one.provider_type],
          ['KEY ENDS WITH', one => one.key_last4],
          ['SET', one => one.key_set_at],
          ['PROJECTS', one => one.projects_using_count],
        ],
        terminalWidth(),
      )
      return { json: providers, text }
    },
  },
  {
    name: 'providers set',
    summary: 'Store the key of a provider, from a variable or stdin',
    example: 'sallyport providers set openai --from-env OPENAI_API_KEY',
    args: [['<provider>', 'such as openai or anthropic']],
    options: [
      ['--from-env <name>', 'the environment variable that holds the key (default: stdin)'],
      ['--base-url <address>', 'where the provider is reached, if not at its own address'],
    ],
    async run(input, context) {
      const [providerType = ''] = input.args
      const baseUrl = textOption(input, 'baseUrl')
      const { id: tenantId } = await context.tenant()
      const body = {
        api_key: await readSecret(textOption(input, 'fromEnv')),
        ...(baseUrl === undefined ? {} : { base_url_override: baseUrl }),
      }
      const request = { path: { tenantId, providerType }, body }
      const stored = await context.client().request('PUT', `${path}/{providerType}`, request)
      return { json: stored, text: `The key of ${providerType} that ends with ${stored.key_last4} is stored.` }
    },
  },
  {
    name: 'providers remove',
    summary: 'Remove the key of a provider',
    example: 'sallyport providers remove openai',
    args: [['<provider>', 'such as openai or anthropic']],
    async run({ args: [providerType = ''] }, context) {
      const { id: tenantId } = await context.tenant()
      await context.client().request('DELETE', `${path}/{providerType}`, { path: { tenantId, providerType } })
      return { json: { removed: providerType }, text: `The key of ${providerType} is removed.` }
    },
  },
]

async function readSecret(variable: string | undefined): Promise<string> {
  if (variable === undefined && process.stdin.isTTY) {
    throw new Failure('No key was given', 'Name its variable with --from-env, or pipe the key in.')
  }
  const secret = (variable === undefined ? await readText(process.stdin) : (process.env[variable] ?? '')).trim()
  if (secret === '') throw new Failure(variable === undefined ? 'stdin holds no key' : `${variable} is not set`)
  return secret
}
