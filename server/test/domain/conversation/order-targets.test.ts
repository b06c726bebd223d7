// The check of `routes`, and the order in which the targets of a request are tried.
import { describe, expect, test } from 'vitest'
import { orderTargets, type TargetOrder } from '../../../src/domain/conversation/order-targets.ts'
import { type Routes, routesOrNull } from '../../../src/domain/settings/routes.ts'
import { defaultLimits } from '../../../src/domain/settings/settings-limits.ts'

const known = new Set(['openai/gpt-4o', 'anthropic/claude', 'azure/gpt-4o'])
const check = (value: unknown) => routesOrNull.check(value, 'routes', id => known.has(id), defaultLimits)
const target = { model: 'openai/gpt-4o' }
const whole = { targets: [target], strategy: 'fallback' }

test.each<[value: unknown, message: string]>([
  [undefined, 'routes must be an object with targets and strategy, or null'],
  [[], 'routes must be an object with targets and strategy, or null'],
  [{ ...whole, fallback: true }, 'routes has an unknown field: fallback'],
  [{ strategy: 'fallback' }, 'routes.targets must be an array of 1-10 objects'],
  [{ ...whole, targets: [] }, 'routes.targets must be an array of 1-10 objects'],
  [{ ...whole, targets: Array(11).fill(target) }, 'routes.targets must be an array of 1-10 objects'],
  [{ ...whole, targets: ['openai/gpt-4o'] }, 'routes.targets must be an array of 1-10 objects'],
  [{ ...whole, targets: [{}] }, 'routes.targets[0].model must be a known model ID'],
  [{ ...whole, targets: [target, { model: 'x/y' }] }, 'routes.targets[1].model must be a known model ID'],
  [{ ...whole, targets: [{ ...target, modell: 1 }] }, 'routes.targets[0] has an unknown field: modell'],
  [{ ...whole, targets: [{ ...target, weight: 0 }] }, 'routes.targets[0].weight must be an integer 1-1000'],
  [{ ...whole, targets: [{ ...target, weight: null }] }, 'routes.targets[0].weight must be an integer 1-1000'],
  [{ ...whole, targets: [{ ...target, weight: 1001 }] }, 'routes.targets[0].weight must be an integer 1-1000'],
  [{ ...whole, targets: [{ ...target, timeout_ms: 0.5 }] }, 'routes.targets[0].timeout_ms must be an integer 1-600000'],
  [{ targets: [target] }, 'routes.strategy must be one of: fallback, weighted'],
  [{ ...whole, strategy: 'random' }, 'routes.strategy must be one of: fallback, weighted'],
  [{ ...whole, retry: null }, 'routes.retry must be an object with attempts and on'],
  [{ ...whole, retry: {} }, 'routes.retry.attempts must be an integer 0-3'],
  [{ ...whole, retry: { attempts: 4 } }, 'routes.retry.attempts must be an integer 0-3'],
  [{ ...whole, retry: { attempts: 1, when: [] } }, 'routes.retry has an unknown field: when'],
  [{ ...whole, retry: { attempts: 1, on: '5xx' } }, 'routes.retry.on must be an array of: connect, timeout, 429, 5xx'],
  [{ ...whole, retry: { attempts: 1, on: [429] } }, 'routes.retry.on must be an array of: connect, timeout, 429, 5xx'],
  [
    { ...whole, retry: { attempts: 1, on: ['connect', '400'] } },
    'routes.retry.on must be an array of: connect, timeout, 429, 5xx',
  ],
  [{ ...whole, first_token_timeout_ms: '5' }, 'routes.first_token_timeout_ms must be an integer 1-600000'],
])('case %# is rejected', (value, message) => expect(check(value)).toEqual({ ok: false, message }))

test.each([
  null,
  whole,
  { ...whole, retry: { attempts: 0 } },
  { targets: [{ ...target, weight: 1, timeout_ms: 1 }], strategy: 'weighted', first_token_timeout_ms: 1 },
])('case %# is accepted as it is', value => expect(check(value)).toEqual({ ok: true, value }))

describe('the order of targets', () => {
  const ids = ['openai/gpt-4o', 'anthropic/claude', 'azure/gpt-4o']
  const fallback: Routes = { targets: ids.map(model => ({ model })), strategy: 'fallback' }
  const order: TargetOrder = { requested: null, allowed: null, needsNamedModel: false, draw: Math.random }
  const modelsOf = (routes: Routes, more: Partial<TargetOrder> = {}) =>
    orderTargets(routes, { ...order, ...more }).map(({ model }) => model)

  test.each<[requested: string | null, allowed: string[] | null, first: string[]]>([
    [null, null, ids],
    ['nobody', null, ids],
    ['claude', null, ['anthropic/claude', 'openai/gpt-4o', 'azure/gpt-4o']],
    ['azure/gpt-4o', null, ['azure/gpt-4o', 'openai/gpt-4o', 'anthropic/claude']],
    ['gpt-4o', null, ids],
    ['gpt-4o', ['azure/gpt-4o'], ['azure/gpt-4o', 'openai/gpt-4o', 'anthropic/claude']],
    ['claude', ['openai/gpt-4o'], ids],
  ])('of a request for %s where %o may be chosen', (requested, allowed, expected) => {
    expect(modelsOf(fallback, { requested, allowed })).toEqual(expected)
  })

  test('of requests for vectors: only the model that is named, at any provider', () => {
    const needsNamedModel = true
    expect(modelsOf(fallback, { needsNamedModel })).toEqual([])
    expect(modelsOf(fallback, { needsNamedModel, requested: 'nobody' })).toEqual([])
    expect(modelsOf(fallback, { needsNamedModel, requested: 'azure/gpt-4o' })).toEqual([
      'azure/gpt-4o',
      'openai/gpt-4o',
    ])
  })

  test('by weight: each comes first as often as its weight says, and then next', () => {
    const weights = [5, 3, 2]
    const routes: Routes = { strategy: 'weighted', targets: ids.map((model, at) => ({ model, weight: weights[at]! })) }
    const firsts = new Map<string, number>()
    const draws = 20_000
    for (let draw = 0; draw < draws; draw++) {
      const found = modelsOf(routes)
      expect(found.toSorted()).toEqual(ids.toSorted())
      firsts.set(found[0]!, (firsts.get(found[0]!) ?? 0) + 1)
    }
    // Six standard deviations.
    for (const [at, model] of ids.entries()) {
      expect(Math.abs((firsts.get(model) ?? 0) / draws - weights[at]! / 10)).toBeLessThan(0.022)
    }
  })

  test('by weight: a change of one weight moves no request between two others', () => {
    const routesOf = (weight: number): Routes => ({
      strategy: 'weighted',
      targets: [{ model: ids[0]!, weight }, { model: ids[1]! }, { model: ids[2]! }],
    })
    for (let round = 0; round < 1_000; round++) {
      const drawn = new Map(ids.map(id => [id, 1 - Math.random()]))
      const draw = (model: string) => drawn.get(model) ?? 1
      const [before, after] = [modelsOf(routesOf(1), { draw })[0], modelsOf(routesOf(10), { draw })[0]]
      if (before !== after) expect(after).toBe(ids[0])
    }
  })
})
