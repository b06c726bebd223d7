// The cells of the authorization matrix as they lie in the data folder, and who answers for each of them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface MatrixRow {
  method: string
  path: string
  caller: string
  expected: string
}

function readMatrix(): MatrixRow[] {
  const text = readFileSync(join(import.meta.dirname, '../data/security/idor_matrix.tsv'), 'utf8')
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return lines.map(line => {
    const [method = '', path = '', caller = '', expected = ''] = line.split('\t')
    return { method, path, caller, expected }
  })
}

/** The data plane's surface: it is tested where the gateway is. */
const gatewayPaths = ['/v1/chat/completions', '/v1/threads', '/v1/threads/:id', '/v1/billing/usage']
/** Answers only where inference does; the refusals of this route are ours. */
const playground = '/auth/v1/projects/:projectId/playground'

const isForTheGateway = ({ path, expected }: MatrixRow) =>
  gatewayPaths.includes(path) || (path === playground && expected.startsWith('ignored'))

const matrix = readMatrix()

export const rowsForTheGateway: readonly MatrixRow[] = matrix.filter(isForTheGateway)

export const rowsForManagement: readonly MatrixRow[] = matrix.filter(row => !isForTheGateway(row))

/** Whether an answer is what the matrix expects; undefined where its words have another meaning than a status. */
export function isExpected(expected: string, status: number): boolean | undefined {
  if (/^\d{3}( or \d{3})*$/.test(expected)) return expected.split(' or ').includes(String(status))
  if (expected === 'ignored or 400; A unchanged') return status < 300 || status === 400
  return undefined
}
