// The product with a project for an example, and the example as its users start it: by the command of its package.json.
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
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

/** Pages of the origin may use the prompt `chat` without an account, and nothing else. */
export async function openProjectTo(
  { management, project }: ExampleStage,
  origin: string,
  anonymous: { tier?: string } = {},
): Promise<void> {
  const path = { projectId: project.id }
  await management.request('PUT', '/auth/v1/projects/{projectId}/prompts/{promptName}', {
    path: { ...path, promptName: 'chat' },
    body: { messages: [{ role: 'system', content: 'Answer briefly.' }] },
  })
  await management.request('PUT', '/auth/v1/projects/{projectId}/settings', {
    path,
    body: {
      cors_origins: [origin],
      anonymous: { attestation: ['proof_of_work'], ...anonymous },
      client_prompts: 'required',
    },
  })
  await management.request('POST', '/auth/v1/projects/{projectId}/settings/deploy', { path })
}

/**
 * Installs a copy of an example from its lockfile, and returns its folder.
 * Does not block the event loop: a client that does not notice meanwhile that a connection ended would use it.
 */
export async function installExample(name: string, packages: string[]): Promise<{ folder: string; remove(): void }> {
  const clone = mkdtempSync(join(tmpdir(), `sallyport-${name}-`))
  const isSource = (path: string) => !path.includes('node_modules')
  const folder = join(clone, 'examples', name)
  cpSync(join(examples, name), folder, { recursive: true, filter: isSource })
  for (const each of packages)
    cpSync(join(examples, '..', each), join(clone, each), { recursive: true, filter: isSource })
  await promisify(execFile)('npm', ['ci', '--prefer-offline'], { cwd: folder })
  return { folder, remove: () => rmSync(clone, { recursive: true }) }
}

/** Runs what `npm start` runs in the folder; ends with the test. */
export async function startExample(folder: string, env: Record<string, string>): Promise<ServerProcess> {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { scripts: { start: string } }
  const [command = '', ...args] = scripts.start.split(' ')
  const { HOME } = process.env
  const PATH = `${join(folder, 'node_modules/.bin')}:${process.env.PATH}`
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
