// The product with a project for an example, and the example as its users start it: by the command of its package.json.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createManagementClient, type ManagementClient } from '@sallyport/sdk'
import { onTestFinished } from 'vitest'
import { type ClientProject, type ClientStage, startClientStage } from '../clients/client-stage.ts'
import type { TestPage } from '../support/programs/browsers.ts'
import { type ServerProcess, startProcess, waitUntilReady } from '../support/server-process.ts'

export const examples = join(import.meta.dirname, '../../../examples')

export interface ExampleStage extends ClientStage {
  project: ClientProject
  /** Its address, as the examples take it. */
  projectUrl: string
  management: ManagementClient
  sessionToken: string
}

export async function startExampleStage(env: Record<string, string> = {}): Promise<ExampleStage> {
  const stage = await startClientStage({ env, own: true })
  const project = await stage.makeProject('openai')
  const baseUrl = new URL(project.baseURL).origin
  const credentials = { email: 'owner@example.com', password: 'correct horse battery staple' }
  const anonymous = createManagementClient({ baseUrl })
  const session = await anonymous.request('POST', '/auth/v1/sessions', { body: credentials })
  if (!('session_token' in session)) throw new Error('a session without cookie=true has a token')
  const token = session.session_token
  return {
    ...stage,
    project,
    projectUrl: project.baseURL.replace(/\/v1$/, ''),
    management: createManagementClient({ baseUrl, token }),
    sessionToken: token,
  }
}

export async function allowOrigin({ management, project }: ExampleStage, origin: string): Promise<void> {
  const path = { projectId: project.id }
  await management.request('PUT', '/auth/v1/projects/{projectId}/settings', { path, body: { cors_origins: [origin] } })
  await management.request('POST', '/auth/v1/projects/{projectId}/settings/deploy', { path })
}

/** Runs what `npm start` runs in the folder; ends with the test. */
export async function startExample(folder: string, env: Record<string, string>): Promise<ServerProcess> {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { scripts: { start: string } }
  const [command = '', ...args] = scripts.start.split(' ')
  const { PATH, HOME } = process.env
  const started = await startProcess({ command, args, cwd: folder, env: { PATH, HOME, ...env } })
  onTestFinished(async () => void (await started.end('SIGTERM')))
  return started
}

/** The address that the example prints once it listens. */
export async function addressOf(example: ServerProcess): Promise<string> {
  const find = () => /http:\/\/localhost:\d+/.exec(example.stdout())?.[0]
  await waitUntilReady(example, async () => find() !== undefined, 60_000)
  return find() ?? ''
}

/**
 * Writes a message into the page's form, sends it, and resolves to what the page shows in the end: an answer or an
 * error.
 */
export async function chat(page: TestPage<Record<never, never>>, message: string): Promise<string> {
  const shown = await page.evaluate(`(async () => {
    const form = document.querySelector('form')
    const until = async isTrue => { while (!isTrue()) await new Promise(resolve => setTimeout(resolve, 20)) }
    await until(() => form.dataset.ready)
    form.elements.message.value = ${JSON.stringify(message)}
    form.requestSubmit()
    await until(() => !form.elements.send.disabled)
    return [...document.querySelectorAll('output, [role=alert]')].map(part => part.textContent).join('')
  })()`)
  return String(shown)
}
