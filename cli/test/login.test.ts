// Signing in with a browser, the file of the session, and tokens for oneself, against the running product.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../server/test/support/management-harness.ts'
import { makeFolder, readCli, runCli, startCli } from './run-cli.ts'

describeEachBackend('the sign-in of the command line', start => {
  let plane: ManagementHarness
  beforeAll(async () => {
    plane = await start()
  })

  /** As a person with a browser does. */
  async function approve(words: string, decision: 'approve' | 'deny' = 'approve') {
    const page = new URL(/ (http\S+)/.exec(words)?.[1] ?? '')
    expect(page.pathname).toBe('/device')
    const body = { user_code: page.hash.slice('#code='.length) }
    const answer = await plane.call('POST', `/auth/v1/device/${decision}`, { session: plane.owner.session, body })
    expect(answer.status).toBe(204)
  }

  async function logIn(folder: string, decision: 'approve' | 'deny') {
    const started = await startCli(['login', '--url', `${plane.baseUrl}/`], { XDG_CONFIG_HOME: folder })
    await expect.poll(started.stderr).toMatch(/#code=[A-Z-]{9}\n/)
    await approve(started.stderr(), decision)
    return { code: await started.exitCode, stdout: started.stdout(), stderr: started.stderr() }
  }

  test('opens a session that only its owner can read, uses it without variables, and ends it', async () => {
    const folder = makeFolder()
    const env = { XDG_CONFIG_HOME: folder }
    expect(await logIn(folder, 'approve')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(plane.owner.email),
    })
    const file = join(folder, 'sallyport/sessions.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await readCli(['whoami'], env)).toMatchObject({ url: plane.baseUrl, email: plane.owner.email })
    const { token } = JSON.parse(readFileSync(file, 'utf8')).installations[plane.baseUrl]
    expect(await runCli(['logout'], env)).toMatchObject({ code: 0 })
    expect(readFileSync(file, 'utf8')).not.toContain(token)
    expect((await plane.call('GET', '/auth/v1/sessions/current', { session: token })).status).toBe(401)
    expect(await runCli(['whoami'], { ...env, SALLYPORT_URL: plane.baseUrl })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('`sallyport login`'),
    })
  })

  test('leaves nothing behind if it is denied', async () => {
    const folder = makeFolder()
    expect(await logIn(folder, 'deny')).toMatchObject({ code: 1, stderr: expect.stringContaining('denied') })
    expect(existsSync(join(folder, 'sallyport'))).toBe(false)
  })

  test('prints a token alone, which the gateway accepts', async () => {
    const { id } = await plane.makeTenant()
    const { slug } = await plane.makeProject(id)
    const env = { SALLYPORT_URL: plane.baseUrl, SALLYPORT_TOKEN: plane.owner.session }
    const { code, stdout } = await runCli(['token', '--project', slug, '--ttl', '60'], env)
    expect({ code, lines: stdout.split('\n').length }).toEqual({ code: 0, lines: 2 })
    expect((await plane.call('GET', `/p/${slug}/v1/models`, { session: stdout.trim() })).status).toBe(200)
    const tiered = await runCli(['token', '--project', slug, '--tier', 'gold'], env)
    expect(tiered).toMatchObject({ code: 0, stderr: expect.stringContaining('gold') })
    expect(await runCli(['token', '--project', slug, '--ttl', '5'], env)).toMatchObject({ code: 1 })
  })
})
