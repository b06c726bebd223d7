// The example page as its users serve it: from an origin of its own, with the project's address in it.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type ExampleStage, examples } from './example-stage.ts'

export const examplePage = readFileSync(join(examples, 'page/index.html'), 'utf8')

/** Until the test ends. Returns the origin. */
export async function servePage({ projectUrl }: ExampleStage): Promise<string> {
  const [, slug = ''] = projectUrl.split('/p/')
  const address = new URL(projectUrl).origin
  const page = examplePage.replaceAll('http://localhost:8080', address).replace('amber-falcon-4821', slug)
  const server = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(page))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://localhost:${(server.address() as AddressInfo).port}`
}
