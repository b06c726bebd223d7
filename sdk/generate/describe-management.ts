// The generated modules of the management client as they are to be for the routes of this checkout.
import { join } from 'node:path'
import { describeRoutes } from '../../server/src/management/plane/openapi-document.ts'
import { openRouteTable } from '../../server/test/management/plane/route-table.ts'
import { writeMethods } from './write-methods.ts'
import { type ApiDocument, writeTypes } from './write-types.ts'

const source = (name: string) => join(import.meta.dirname, '../src', name)

/** By their files. */
export async function describeManagement(): Promise<Map<string, string>> {
  const table = await openRouteTable()
  try {
    const document = describeRoutes(table.routes, { baseUrl: 'http://localhost:8080', publicDomain: 'localhost' })
    return new Map([
      [source('management-types.ts'), writeTypes(document satisfies ApiDocument)],
      [source('management-methods.ts'), writeMethods(document satisfies ApiDocument)],
    ])
  } finally {
    await table.close()
  }
}
