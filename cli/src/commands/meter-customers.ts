// `meter customers`: the customers at the receiver, by the subjects of a tenant's meter.
import { readFileSync } from 'node:fs'
import { type Command, type CommandInput, textOption } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { Failure } from '../frame/failure.ts'
import { pageOptions, readPage, withNext } from '../frame/pages.ts'
import { renderTable } from '../frame/table.ts'
import { terminalWidth } from '../frame/terminal.ts'

const path = '/auth/v1/tenants/{tenantId}/meter/subjects'
/** As many as the server takes in one request. */
const maxAtOnce = 1000

type Customers = Record<string, string | null>

export const meterCustomerCommands: readonly Command[] = [
  {
    name: 'meter customers',
    summary: 'List the customers of the subjects of the meter; set, remove them',
    example: 'sallyport meter customers',
    options: pageOptions,
    async run(input, context) {
      const { id: tenantId } = await context.tenant()
      const page = await context.client().request('GET', path, { path: { tenantId }, query: readPage(input) })
      const text = renderTable(
        page.data,
        [
          ['SUBJECT', ({ subject }) => subject],
          ['CUSTOMER', ({ customer }) => customer],
        ],
        terminalWidth(),
      )
      return { json: page, text: withNext(text, page.next_cursor) }
    },
  },
  {
    name: 'meter customers set',
    summary: 'Name the customers of subjects; the others stay',
    example: 'sallyport meter customers set user-1=cus_NciAYcXfLnqBoz',
    args: [['[subject=customer...]', 'such as user-1=cus_1']],
    options: [['--file <file>', 'a JSON object of customers by subject; null removes one']],
    async run(input, context) {
      const customers = readCustomers(input)
      await putCustomers(context, customers)
      return { json: customers, text: `Saved: ${Object.keys(customers).length}.` }
    },
  },
  {
    name: 'meter customers remove',
    summary: 'Send subjects as they are again',
    example: 'sallyport meter customers remove user-1',
    args: [['<subjects...>', 'as `meter customers` lists them']],
    async run({ args }, context) {
      await putCustomers(context, Object.fromEntries(args.map(subject => [subject, null])))
      return { json: { removed: args }, text: `Removed: ${args.length}.` }
    },
  },
]

function readCustomers(input: CommandInput): Customers {
  const file = textOption(input, 'file')
  const customers = file === undefined ? {} : readFile(file)
  for (const text of input.args) {
    const equals = text.indexOf('=')
    if (equals < 1) throw new Failure(`${text} is no subject with a customer`, 'Write user-1=cus_1.')
    customers[text.slice(0, equals)] = text.slice(equals + 1)
  }
  if (Object.keys(customers).length === 0) throw new Failure('No customer was given', 'Write user-1=cus_1, or --file.')
  return customers
}

/** The server checks the customers. */
function readFile(file: string): Customers {
  const words = `${file} is no JSON object of customers by subject`
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value } as Customers
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new Failure(words)
}

async function putCustomers(context: Context, customers: Customers): Promise<void> {
  const { id: tenantId } = await context.tenant()
  const entries = Object.entries(customers)
  for (let start = 0; start < entries.length; start += maxAtOnce) {
    const body = Object.fromEntries(entries.slice(start, start + maxAtOnce))
    await context.client().request('PUT', path, { path: { tenantId }, body })
  }
}
