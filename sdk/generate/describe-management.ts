// The types of the management client as they are to be for the routes of this checkout.
import { join } from 'node:path'
import { describeRoutes } from '../../server/src/management/plane/openapi-document.ts'
import { openRouteTable } from '../../server/test/management/plane/route-table.ts'
import { type ApiDocument, writeTypes } from './write-types.ts'

export const typesFile = join(import.meta.dirname, '../src/management-types.ts')

export async function describeManagement(): Promise<string> {
  const table = await openRouteTable()
  try {
    const document = describeRoutes(table.routes, { baseUrl: 'http://localhost:8080', publicDomain: 'localhost' })
    return writeTypes(document satisfies ApiDocument)
  } finally {
    await table.close()
  }
}
