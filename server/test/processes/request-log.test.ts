// The rows of the request log of all processes of a machine: a clean stop writes each of them.
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { createClients, startProcesses } from './processes-stage.ts'

/** So many that each process has some of them. */
const connections = 24

function readIds(dataDir: string, projectId: string): string[] {
  return globSync(join(dataDir, 'requests', '2*.db')).flatMap(file => {
    const database = new DatabaseSync(file)
    try {
      const tables = database.prepare("select name from sqlite_master where name = 'requests'").all()
      if (tables.length === 0) return []
      const rows = database.prepare('select id from requests where project_id = ?').all(projectId)
      return rows.map(row => String(row['id']))
    } finally {
      database.close()
    }
  })
}

test('a clean stop loses no row of any process', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sallyport-request-log-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const stage = await startProcesses(3, { DATA_DIR: dataDir })
  const project = await stage.makeProject()
  const clients = createClients(stage.product, connections)
  const ids: unknown[] = []
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all(clients.map(client => client.complete(project)))
    for (const { status, headers } of answers) {
      expect(status).toBe(200)
      ids.push(headers['x-request-id'])
    }
  }
  expect(await stage.product.stop()).toBe(0)
  expect(readIds(dataDir, project.id).sort()).toEqual(ids.sort())
})
