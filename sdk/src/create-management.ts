// The management API with a method for each route. An entry of its own: pages that only need tokens load none of it.
import { createManagementClient, type ManagementOptions } from './management.ts'
import { type Management, routes } from './management-methods.ts'

export type { Management } from './management-methods.ts'

interface Branch {
  [word: string]: Branch | ((...args: unknown[]) => unknown)
}

/** The client as it is for every route. */
interface AnyClient {
  request(method: string, path: string, input: object): unknown
  list(path: string, input: object): unknown
}

/** `await management.projects.settings.update(projectId, {…})` with `const management = createManagement({ … })` */
export function createManagement(options: ManagementOptions): Management {
  const client = createManagementClient(options) as unknown as AnyClient
  const root: Branch = {}
  for (const [name, route] of Object.entries(routes)) {
    const words = name.split('.')
    const last = words.pop() as string
    let branch = root
    for (const word of words) {
      branch[word] ??= {}
      branch = branch[word] as Branch
    }
    branch[last] = createMethod(client, route)
  }
  return root as unknown as Management
}

/** Takes the parts of the path, then the body if there is one, then the query and the headers. */
function createMethod(client: AnyClient, route: string): (...args: unknown[]) => unknown {
  const [method = '', path = '', ...traits] = route.split(' ')
  const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name)
  return (...args) => {
    const filled = Object.fromEntries(names.map((name, at) => [name, args[at]]))
    const rest = args.slice(names.length)
    const body = traits.includes('body') ? { body: rest.shift() } : {}
    const input = { ...(rest[0] as object | undefined), ...body, path: filled }
    return traits.includes('pages') ? client.list(path, input) : client.request(method, path, input)
  }
}
