// `npm run dev` serves the sources, under the file watcher of the runtime.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startProcess, waitUntilReady, withFreePort } from '../support/server-process.ts'
import { temporaryFolder } from './refusal.ts'

const checkout = join(import.meta.dirname, '../../..')

test('npm run dev serves the sources and the dashboard', async () => {
  const { scripts } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const statuses = await withFreePort(async port => {
    const env = { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: String(port), DATA_DIR: temporaryFolder() }
    const started = await startProcess({ command: 'sh', args: ['-c', scripts['dev'] ?? ''], cwd: checkout, env })
    onTestFinished(async () => {
      await started.end('SIGTERM')
    })
    const output = () => started.stdout() + started.stderr()
    await waitUntilReady(started, () => /Sallyport serves |Failed running/.test(output()), 300_000)
    const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status
    return await Promise.all(['/healthz', '/', '/docs/start'].map(statusOf))
  })
  expect(statuses).toEqual([200, 200, 200])
})
