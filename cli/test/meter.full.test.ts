// `sallyport meter`: from nothing to a receiver that took an event, its customers, and its end.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../server/test/support/management-harness.ts'
import { makeFolder, readCli, runCli } from './run-cli.ts'

const token = 'om_0123456789abcdef'

describeEachBackend('the meter by the command line', start => {
  let plane: ManagementHarness
  let address: string
  let env: Record<string, string>

  beforeAll(async () => {
    plane = await start()
  })
  beforeEach(async () => {
    const { id } = await plane.makeTenant({ plan: 'pro' })
    const { slug } = await plane.makeProject(id)
    address = `${plane.upstream.url}/meters/${id}`
    plane.upstream.on('*', { status: 204, body: '' })
    env = {
      SALLYPORT_URL: plane.baseUrl,
      SALLYPORT_TOKEN: plane.owner.session,
      SALLYPORT_PROJECT: slug,
      METER_TOKEN: token,
    }
  })

  const set = (...args: string[]) => ['meter', 'set', ...args]
  const create = () => set('--format', 'cloudevents', '--to', address, '--value', 'cost_usd', '--subject', 'uid')

  test('is created, changed in part, shown and removed; its secret is shown once', async () => {
    expect(await runCli(['meter'], env)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Error: The tenant has no meter\n.*sallyport meter set --format cloudevents --to/),
    })
    const made = await runCli(create(), env)
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/shown only now:\nwhsec_\S{44}\n$/) })
    const changed = await runCli(set('--value', 'requests'), env)
    expect(changed).toEqual({ code: 0, stdout: 'The meter is saved.\nNext: sallyport meter test\n', stderr: '' })
    const kept = { format: 'cloudevents', url: address, subject: 'uid', event_name: 'sallyport.usage' }
    expect(await readCli(['meter'], env)).toMatchObject({ ...kept, value: 'requests', signs: true })
    await readCli(set('--event-name', 'ai.usage', '--from-env', 'METER_TOKEN'), env)
    expect(await readCli(['meter'], env)).toMatchObject({ ...kept, event_name: 'ai.usage', signs: false })
    const { stdout } = await runCli(['meter'], env)
    expect(stdout).toMatch(/^waiting +0$/m)
    expect(stdout).toMatch(/^last error +none$/m)
    expect(stdout).not.toContain(token)
    expect(await runCli(['meter', 'remove'], env)).toMatchObject({ code: 0 })
    expect(await runCli(['meter'], env)).toMatchObject({ code: 1 })
  })

  test('takes neither the address nor the event name along to another format', async () => {
    await readCli(create(), env)
    const stripe = (...args: string[]) => runCli(set('--format', 'stripe', '--from-env', 'METER_TOKEN', ...args), env)
    // Stripe's own address, whose name does not resolve here.
    expect(await stripe('--event-name', 'ai')).toMatchObject({ code: 1, stderr: 'Error: The address is not allowed\n' })
    expect(await stripe('--to', address)).toMatchObject({ code: 1, stderr: 'Error: event_name is required\n' })
    expect(await stripe('--to', address, '--event-name', 'ai')).toMatchObject({ code: 0 })
    expect(await readCli(['meter'], env)).toMatchObject({ format: 'stripe', event_name: 'ai', value: 'cost_usd' })
  })

  test.each([
    [set('--format', 'csv'), 'format must be one of: cloudevents, stripe'],
    [set('--format', 'cloudevents', '--value', 'requests', '--subject', 'uid'), 'url is required'],
    [set('--from-env', 'NO_SUCH_VARIABLE'), 'NO_SUCH_VARIABLE is not set'],
    [['meter', 'test'], 'The tenant has no meter'],
    [['meter', 'customers', 'set'], 'No customer was given'],
    [['meter', 'customers', 'set', 'user-1'], 'user-1 is no subject with a customer'],
  ])('%j changes nothing and says why', async (args, words) => {
    expect(await runCli(args, env)).toMatchObject({ code: 1, stderr: expect.stringContaining(words) })
    expect(await runCli(['meter'], env)).toMatchObject({ code: 1 })
  })

  test('sends a test event, and says by the exit code whether the receiver took it', async () => {
    await readCli([...create(), '--from-env', 'METER_TOKEN'], env)
    expect(await runCli(['meter', 'test'], env)).toMatchObject({ code: 0, stdout: 'The receiver took the event.\n' })
    const request = plane.upstream.requests.find(({ path }) => address.endsWith(path))
    expect(request?.headers['authorization']).toBe(`Bearer ${token}`)
    plane.upstream.on(`POST ${new URL(address).pathname}`, { status: 403, body: '' })
    const failed = await runCli(['meter', 'test'], env)
    expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining('did not take the event: status 403') })
  })

  test('names the customers of subjects, as many as a file has', async () => {
    await readCli(create(), env)
    const file = join(makeFolder(), 'customers.json')
    const many = Array.from({ length: 1500 }, (_, index) => [`user-${String(index).padStart(4, '0')}`, `cus_${index}`])
    writeFileSync(file, JSON.stringify(Object.fromEntries(many)))
    const saved = await runCli(['meter', 'customers', 'set', 'a-user=cus=7', '--file', file], env)
    expect(saved).toEqual({ code: 0, stdout: 'Saved: 1501.\n', stderr: '' })
    const first = (await readCli(['meter', 'customers', '--limit', '2'], env)) as { next_cursor: string }
    expect(first).toMatchObject({ data: [{ subject: 'a-user', customer: 'cus=7' }, { subject: 'user-0000' }] })
    expect(await readCli(['meter', 'customers', '--limit', '1', '--cursor', first.next_cursor], env)).toMatchObject({
      data: [{ subject: 'user-0001', customer: 'cus_1' }],
    })
    await readCli(['meter', 'customers', 'remove', 'a-user', 'user-0000'], env)
    const left = await runCli(['meter', 'customers', '--limit', '1'], env)
    expect(left.stdout).toMatch(/^SUBJECT +CUSTOMER\nuser-0001 +cus_1\nMore: /)
    writeFileSync(file, '["cus_1"]')
    const wrong = await runCli(['meter', 'customers', 'set', '--file', file], env)
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('no JSON object of customers by subject') })
  })
})
