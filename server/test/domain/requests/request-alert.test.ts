// Which alerts on requests are accepted.
import { expect, test } from 'vitest'
import { checkAlerts } from '../../../src/domain/requests/request-alert.ts'

const alert = { name: 'Errors', on: 'error_rate', over: 0.05, window_minutes: 15 }

test('an alert is narrowed to a model and a tier, or to nothing', () => {
  const narrowed = { ...alert, name: 'Others', for: { model: 'openai/gpt-x', tier: 'team' } }
  expect(checkAlerts([alert, narrowed])).toEqual({ ok: true, value: [{ ...alert, for: {} }, narrowed] })
  expect(checkAlerts([])).toEqual({ ok: true, value: [] })
})

test.each<[string, unknown]>([
  ['no list', alert],
  ['no name', [{ ...alert, name: ' ' }]],
  ['the same name twice', [alert, alert]],
  ['another measure', [{ ...alert, on: 'constructor' }]],
  ['a negative value', [{ ...alert, over: -1 }]],
  ['a share that none is above', [{ ...alert, over: 1 }]],
  ['no number', [{ ...alert, over: '1' }]],
  ['no window', [{ ...alert, window_minutes: 0 }]],
  ['more than a day', [{ ...alert, window_minutes: 1_441 }]],
  ['an unknown field', [{ ...alert, more: 1 }]],
  ['an unknown narrowing', [{ ...alert, for: { uid: 'ada' } }]],
  ['too many', Array.from({ length: 21 }, (_none, at) => ({ ...alert, name: `${at}` }))],
])('refuses %s', (_what, value) => {
  expect(checkAlerts(value)).toMatchObject({ ok: false, message: expect.stringContaining('alerts must be an array') })
})
