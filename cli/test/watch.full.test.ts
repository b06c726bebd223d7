// A folder of files that is watched: drift is corrected, of several watchers one applies, and another takes over.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../server/test/support/management-harness.ts'
import { findFreePort } from '../../server/test/support/server-process.ts'
import { makeFolder, readCli, runCli, startCli } from './run-cli.ts'

describeEachBackend('a folder that is watched', start => {
  let plane: ManagementHarness
  let env: Record<string, string>
  beforeAll(async () => {
    plane = await start()
    env = { SALLYPORT_URL: plane.baseUrl, SALLYPORT_TOKEN: plane.owner.session }
  })

  async function makeStage() {
    const { id: tenantId } = await plane.makeTenant()
    const { slug, id } = await plane.makeProject(tenantId)
    const folder = makeFolder()
    const file = join(folder, `${slug}.yaml`)
    const write = (text: string) => writeFileSync(file, text)
    write('settings: { rpm_limit: 7 }\n')
    const ofProject = { ...env, SALLYPORT_PROJECT: slug }
    const limit = async () =>
      ((await readCli(['settings', 'get', 'rpm_limit'], ofProject)) as { rpm_limit: number }).rpm_limit
    const watch = async (...more: string[]) => {
      const args = ['apply', '--watch', folder, '--deploy', '--interval', '1', ...more]
      const watcher = await startCli(args, env)
      onTestFinished(async () => void (await watcher.end('SIGKILL')))
      return watcher
    }
    return { id, slug, folder, file, write, ofProject, limit, watch }
  }

  test('corrects drift, deploys, and says so in lines and metrics', async () => {
    const { slug, file, write, ofProject, limit, watch, folder } = await makeStage()
    const port = await findFreePort()
    const watcher = await watch('--listen', String(port))
    await expect.poll(watcher.stdout).toMatch(new RegExp(`${slug} applied: changed rpm_limit, and deployed\n$`))
    expect(await runCli(['settings', 'diff'], ofProject)).toMatchObject({ code: 0 })
    await readCli(['settings', 'set', 'rpm_limit=9'], ofProject)
    await expect.poll(limit).toBe(7)
    await expect.poll(() => watcher.stdout().match(/applied/g)?.length).toBe(2)
    const metrics = async () => await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    const one = (name: string, value: string) => `sallyport_watch_${name}{project="${slug}"} ${value}\n`
    expect(await metrics()).toContain(one('applied_total', '2'))
    expect(await metrics()).toContain(one('in_sync', '1'))
    expect(await (await fetch(`http://127.0.0.1:${port}/healthz`)).text()).toBe('ok\n')
    write('settings: { rpm_limit: 0 }\n')
    await expect.poll(watcher.stdout).toContain(`failed: ${file}:1:13: settings.rpm_limit must`)
    expect(await metrics()).toContain(one('in_sync', '0'))
    expect(await limit()).toBe(7)
    rmSync(file)
    await expect.poll(metrics).not.toContain(slug)
    rmSync(folder, { recursive: true })
    await expect.poll(watcher.stdout).toContain(`${folder} failed: ENOENT`)
    expect(await watcher.end('SIGTERM')).toBe(0)
    expect(watcher.stderr()).toBe('')
  })

  test('is applied by one watcher, and at once by another when that one ends, or soon when it dies', async () => {
    const { id, slug, write, limit, watch } = await makeStage()
    const first = await watch()
    await expect.poll(first.stdout).toContain('applied')
    const second = await watch()
    write('settings: { rpm_limit: 8 }\n')
    await expect.poll(limit).toBe(8)
    expect(second.stdout()).toBe('')
    // Ctrl+C gives the lease back.
    expect(await first.end('SIGINT')).toBe(0)
    write('settings: { rpm_limit: 11 }\n')
    await expect.poll(second.stdout).toContain(`${slug} applied: changed rpm_limit`)
    const third = await watch()
    await second.end('SIGKILL')
    write('settings: { rpm_limit: 12 }\n')
    await expect.poll(third.stdout).toContain(`${slug} applied: changed rpm_limit`)
    expect(await limit()).toBe(12)
    const taken = { holder: 'another', seconds: 60 }
    const path = `/auth/v1/projects/${id}/file-lease`
    const ask = (body: object) => plane.call('POST', path, { session: plane.owner.session, body })
    expect((await ask(taken)).body).toEqual({ is_held: false, expires_at: null })
    await third.end('SIGTERM')
    expect((await ask(taken)).body).toEqual({ is_held: true, expires_at: expect.any(String) })
    expect((await ask({ ...taken, seconds: 0 })).body).toEqual({ is_held: false, expires_at: null })
  })

  test.each([
    ['a file and a folder', ['apply', 'a.yaml', '--watch', '.'], '--watch takes neither a file nor --dry-run'],
    ['neither', ['apply'], 'Which file?'],
    ['an interval that is none', ['apply', '--watch', '.', '--interval', '0'], '--interval must be a number 1-1200'],
  ])('%s is refused', async (_, args, words) => {
    expect(await runCli(args, env)).toMatchObject({ code: 1, stderr: expect.stringContaining(words) })
  })
})
