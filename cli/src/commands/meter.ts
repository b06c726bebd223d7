// `meter`: where a tenant's usage is sent for billing, and how far behind it is. Its secret is never an argument: other
// users of a machine see those.
import { type ManagementClient, type ManagementRoutes, SallyportError } from '@sallyport/sdk'
import { type Command, type CommandInput, textOption } from '../frame/command.ts'
import { Failure } from '../frame/failure.ts'

const path = '/auth/v1/tenants/{tenantId}/meter'
type Meter = ManagementRoutes[`GET ${typeof path}`]['output']
type MeterBody = ManagementRoutes[`PUT ${typeof path}`]['input']['body']

export const meterCommands: readonly Command[] = [
  {
    name: 'meter',
    summary: "Show a tenant's meter and what waits; set, test, remove it",
    example: 'sallyport meter',
    async run(_input, context) {
      const { id: tenantId } = await context.tenant()
      const meter = await context.client().request('GET', path, { path: { tenantId } })
      return { json: meter, text: showMeter(meter) }
    },
  },
  {
    name: 'meter set',
    summary: 'Create the meter, or change the options that are given',
    example: 'sallyport meter set --format stripe --event-name ai --value cost_usd --subject uid --from-env STRIPE_KEY',
    options: [
      ['--format <format>', 'cloudevents or stripe'],
      ['--to <address>', "where events are posted (default for stripe: Stripe's address)"],
      ['--from-env <name>', 'the environment variable that holds the secret (default: the stored or a new one)'],
      ['--event-name <name>', "the event name of Stripe's meter, or the type of CloudEvents"],
      ['--value <value>', 'what is counted: cost_usd, total_tokens or requests'],
      ['--subject <subject>', 'who is counted: uid, tier or project'],
    ],
    async run(input, context) {
      const { id: tenantId } = await context.tenant()
      const client = context.client()
      const body = mergeMeter(await findMeter(client, tenantId), input)
      const json = await client.request('PUT', path, { path: { tenantId }, body })
      const made = json.secret === undefined ? [] : ['Its secret is shown only now:', json.secret]
      return { json, text: ['The meter is saved.', 'Next: sallyport meter test', ...made].join('\n') }
    },
  },
  {
    name: 'meter test',
    summary: 'Send an event with the value 0; exit code 1 unless the receiver takes it',
    example: 'sallyport meter test',
    async run(_input, context) {
      const { id: tenantId } = await context.tenant()
      const json = await context.client().request('POST', `${path}/test`, { path: { tenantId } })
      if (json.delivered) return { json, text: 'The receiver took the event.' }
      return { json, text: `The receiver did not take the event: ${causeOf(json)}`, ending: 'failed' }
    },
  },
  {
    name: 'meter remove',
    summary: 'Delete the meter, its customers and its unsent events',
    example: 'sallyport meter remove',
    async run(_input, context) {
      const { id: tenantId, name } = await context.tenant()
      await context.client().request('DELETE', path, { path: { tenantId } })
      return { json: { removed: tenantId }, text: `The meter of ${name} is deleted.` }
    },
  },
]

async function findMeter(client: ManagementClient, tenantId: string): Promise<Meter | null> {
  try {
    return await client.request('GET', path, { path: { tenantId } })
  } catch (error) {
    if (error instanceof SallyportError && error.status === 404) return null
    throw error
  }
}

/** Another format has another address and other names of events. The server checks the words. */
function mergeMeter(known: Meter | null, input: CommandInput): MeterBody {
  const format = textOption(input, 'format') ?? known?.format
  const kept = known !== null && known.format === format ? known : null
  const url = textOption(input, 'to') ?? kept?.url
  const eventName = textOption(input, 'eventName') ?? kept?.event_name
  const secret = readSecret(textOption(input, 'fromEnv'))
  return {
    format,
    value: textOption(input, 'value') ?? known?.value,
    subject: textOption(input, 'subject') ?? known?.subject,
    ...(url === undefined ? {} : { url }),
    ...(eventName === undefined ? {} : { event_name: eventName }),
    ...(secret === undefined ? {} : { secret }),
  } as MeterBody
}

function readSecret(variable: string | undefined): string | undefined {
  if (variable === undefined) return undefined
  const secret = process.env[variable]?.trim()
  if (!secret) throw new Failure(`${variable} is not set`)
  return secret
}

function showMeter(meter: Meter): string {
  const { last_error: error } = meter
  const lines: readonly (readonly [string, string | number])[] = [
    ['format', meter.format],
    ['url', meter.url],
    ['event name', meter.event_name],
    ['value', meter.value],
    ['subject', meter.subject],
    ['secret', meter.signs ? 'signs each batch' : 'is sent as a bearer token'],
    ['sent', meter.sent],
    ['waiting', meter.waiting],
    ['rejected', meter.rejected],
    ['dropped', meter.dropped],
    ['lag', `${meter.lag_seconds} s`],
    ['last sent', meter.last_sent_at ?? 'never'],
    ['last error', error === null ? 'none' : `${error.at}: ${causeOf(error)}`],
    ...(meter.retry_at === null ? [] : [['next attempt', meter.retry_at] as const]),
  ]
  return lines.map(([name, value]) => `${name.padEnd(14)}${value}`).join('\n')
}

const causeOf = ({ status, reason }: { status: number | null; reason: string | null }) =>
  [status === null ? null : `status ${status}`, reason].filter(part => part !== null).join(', ')
