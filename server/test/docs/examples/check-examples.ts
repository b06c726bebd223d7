// Holds the examples of the API reference against the OpenAPI documents.
import type { ApiDocuments, Operation } from '../../../src/http/openapi-types.ts'
import { createApiDocuments } from '../../../src/management/plane/openapi.ts'
import { describeDataPlane } from '../../../src/openapi/describe-data-plane.ts'
import type { Example } from '../../../src/pages/reference/examples.ts'
import { type Listed, listOperations } from '../../../src/pages/reference/list-operations.ts'
import { openRouteTable } from '../../management/plane/route-table.ts'
import { createValidator, type Validator } from '../../openapi/validator.ts'

const addresses = { baseUrl: 'https://gateway.example.com', publicDomain: 'apps.example.com' }

export interface ExampleChecker {
  documents: ApiDocuments
  operations: Listed[]
  find(method: string, path: string): Listed | undefined
  /** What is wrong with an example of the operation; empty if nothing is. */
  faultsOf(listed: Listed, example: Example): string[]
}

export async function openExampleChecker(): Promise<ExampleChecker> {
  const table = await openRouteTable()
  await table.close()
  const documents = createApiDocuments(() => table.routes, addresses, describeDataPlane)
  const operations = listOperations(documents)
  const byLength = operations.map(listed => ({ listed, grammar: grammarOf(listed) }))
  // Of two that match, the one with fewer parameters.
  byLength.sort((a, b) => parametersIn(a.listed.path) - parametersIn(b.listed.path))
  const validators = new Map([documents.management(), documents.dataPlane()].map(each => [each, createValidator(each)]))
  return {
    documents,
    operations,
    find: (method, path) => {
      const [plain = ''] = path.split('?')
      return byLength.find(({ listed, grammar }) => listed.method === method.toLowerCase() && grammar.test(plain))
        ?.listed
    },
    faultsOf(listed, example) {
      const validator = validators.get(listed.document)
      if (validator === undefined) throw new Error('an operation of an unknown document')
      return [
        ...(grammarOf(listed).test(example.path.split('?')[0] ?? '') ? [] : [`${example.path} is another path`]),
        ...faultsOfRequest(listed.operation, example, validator),
        ...faultsOfResponse(listed.operation, example, validator),
      ]
    },
  }
}

const parametersIn = (path: string): number => path.split('{').length

/** Also of the aliases. */
function grammarOf({ path, aliases }: Listed): RegExp {
  const patterns = [path, ...aliases].map(each => each.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+'))
  return new RegExp(`^(?:${patterns.join('|')})$`)
}

function faultsOfRequest({ requestBody }: Operation, { body }: Example, validator: Validator): string[] {
  const schema = requestBody?.content['application/json']?.schema
  if (body === undefined) return requestBody?.required ? ['the request has no body'] : []
  if (schema === undefined) return ['the operation takes no body']
  return validator.faultsOf(schema, body).map(fault => `request: ${fault}`)
}

function faultsOfResponse({ responses }: Operation, { status, response }: Example, validator: Validator): string[] {
  const documented = responses[String(status)]
  if (documented === undefined) return [`the status ${status} is not documented`]
  const schema = documented.content?.['application/json']?.schema
  if (response === undefined) return documented.content === undefined ? [] : ['the response has no body']
  if (typeof response === 'string' && Object.keys(documented.content ?? {}).some(type => type !== 'application/json'))
    return []
  if (schema === undefined) return ['the response has a body']
  return validator.faultsOf(schema, response).map(fault => `response: ${fault}`)
}
