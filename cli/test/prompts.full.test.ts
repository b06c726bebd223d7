// Prompts as files: what is pulled is what the draft has, and what is pushed is all of the files or nothing.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { describeEachBackend, type ManagementHarness } from '../../server/test/support/management-harness.ts'
import { makeFolder, readCli, runCli } from './run-cli.ts'

const content = `Teach {{topic}}: "yes" ${['$', '{env:HOME}'].join('')}\n  # no comment\n`
const tutor = {
  messages: [{ role: 'system', content }],
  variables: { topic: { type: 'string', max_length: 500, required: true } },
  model: null,
  params: { temperature: 0.2 },
}
const greeting = { messages: [{ role: 'user', content: 'Hi' }], variables: {}, model: null, params: {} }

describeEachBackend('prompts as files', start => {
  let plane: ManagementHarness
  let tenantId: string
  beforeAll(async () => {
    plane = await start()
    tenantId = (await plane.makeTenant({ plan: 'pro' })).id
  })

  async function makeProject() {
    const { id, slug } = await plane.makeProject(tenantId)
    const env = { SALLYPORT_URL: plane.baseUrl, SALLYPORT_TOKEN: plane.owner.session, SALLYPORT_PROJECT: slug }
    const put = (name: string, body: object) =>
      plane.call('PUT', `/auth/v1/projects/${id}/prompts/${name}`, { session: plane.owner.session, body })
    return { env, put, dir: join(makeFolder(), 'prompts') }
  }
  const listOf = async (env: Record<string, string>) =>
    ((await readCli(['prompts'], env)) as { name: string }[]).map(({ name, ...prompt }) => [name, prompt])

  test('what is pulled and pushed to another project is the same there, in a new version', async () => {
    const [first, second] = [await makeProject(), await makeProject()]
    await first.put('tutor', tutor)
    await first.put('greeting', greeting)
    await second.put('old', greeting)
    const { dir } = first
    expect(await runCli(['prompts', 'pull', '--dir', dir], first.env)).toMatchObject({ code: 0 })
    expect(readdirSync(dir).sort()).toEqual(['greeting.yaml', 'tutor.yaml'])
    expect(await runCli(['prompts', 'diff', '--dir', dir], first.env)).toMatchObject({ code: 0 })
    const differs = await runCli(['prompts', 'diff', 'tutor', '--dir', dir], second.env)
    expect(differs).toMatchObject({ code: 2, stdout: expect.stringContaining('prompts.tutor') })
    expect(differs.stdout).not.toContain('greeting')
    const push = ['prompts', 'push', '--dir', dir, '--prune']
    expect(await readCli([...push, '--dry-run'], second.env)).toMatchObject({ applied: false })
    expect(await listOf(second.env)).toEqual([['old', greeting]])
    expect(await readCli([...push, '--deploy'], second.env)).toMatchObject({
      applied: true,
      deployed_at: expect.any(String),
    })
    expect(await listOf(second.env)).toEqual([
      ['greeting', greeting],
      ['tutor', tutor],
    ])
    expect(await runCli(['settings', 'diff'], second.env)).toMatchObject({ code: 0 })
    expect((await runCli(['prompts'], second.env)).stdout).toMatch(/^tutor +system +topic/m)
  })

  test('a wrong file changes nothing, and is named with its place', async () => {
    const { env, put, dir } = await makeProject()
    await put('greeting', greeting)
    await put('tutor', tutor)
    await runCli(['prompts', 'pull', '--dir', dir], env)
    const file = join(dir, 'tutor.yaml')
    writeFileSync(
      join(dir, 'greeting.yaml'),
      stringify({ ...greeting, messages: [{ role: 'user', content: 'Hello' }] }),
    )
    const valid = parse(readFileSync(file, 'utf8')) as object
    for (const [wrong, words] of [
      [{ ...valid, messages: [{ role: 'nobody', content: 'x' }] }, '2:5: messages.0.role'],
      [{ ...valid, name: 'other' }, '14:1: name is not a field: messages'],
    ] as const) {
      writeFileSync(file, stringify(wrong))
      expect(await runCli(['prompts', 'push', '--dir', dir], env)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`${file}:${words}`),
      })
    }
    expect(await listOf(env)).toEqual([
      ['greeting', greeting],
      ['tutor', tutor],
    ])
    rmSync(file)
    const unknown = await runCli(['prompts', 'push', 'tutor', '--dir', dir], env)
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('tutor.yaml') })
    expect(await runCli(['prompts', 'pull', 'none', '--dir', dir], env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no prompt none'),
    })
    expect(await runCli(['prompts', 'push', 'greeting', '--prune', '--dir', dir], env)).toMatchObject({ code: 1 })
  })
})
