// Each action of the audit has a class and an activity of OCSF, and the table in docs/audit.md says which: the actions
// are those of the route table and of the worker's jobs.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { noHash, sealEntry } from '../../../src/domain/audit/entry.ts'
import { classOf, toCloudEvent } from '../../../src/domain/audit/ocsf.ts'
import { openRouteTable, type RouteTable } from '../plane/route-table.ts'

/** Of jobs, which have no route. */
const ofWorker = ['session.end', 'audit.count_refusals']
const repository = join(import.meta.dirname, '../../../..')

let actions: string[]
let table: RouteTable
beforeAll(async () => {
  table = await openRouteTable()
  actions = [...new Set([...table.routes.flatMap(({ audit }) => audit?.action ?? []), ...ofWorker])].sort()
})
afterAll(() => table.close())

interface Row {
  classId: number
  activityId: number
  forms: string[]
}

/** `….put` stands for every action that ends so. */
function readRows(): Row[] {
  const text = readFileSync(join(repository, 'docs/audit.md'), 'utf8')
  const rows = [...text.matchAll(/^\| (\d+) [\w ]+ \| (\d+) \w+ \| (.+) \|$/gm)]
  return rows.map(([, classId, activityId, list = '']) => ({
    classId: Number(classId),
    activityId: Number(activityId),
    forms: [...list.matchAll(/`([^`]+)`/g)].map(([, form = '']) => form),
  }))
}

const isOfForm = (action: string, form: string): boolean =>
  form.startsWith('….') ? !action.startsWith('session.') && action.endsWith(form.slice(1)) : action === form

test('every action has an activity of its own row', () => {
  expect(actions.length).toBeGreaterThan(90)
  expect(actions.filter(action => classOf(action).activity === null)).toEqual([])
  expect(classOf('thing.that_nobody_knows').activity).toBeNull()
})

test('the table of the docs has each action once, where its events are', () => {
  const rows = readRows()
  expect(rows).toHaveLength(8)
  const shown = actions.map(action => {
    const found = rows.filter(({ forms }) => forms.some(form => isOfForm(action, form)))
    return [action, found.map(({ classId, activityId }) => [classId, activityId])]
  })
  const written = actions.map(action => {
    const { kind, activity } = classOf(action)
    return [action, [[kind.class_uid, activity?.id]]]
  })
  expect(shown).toEqual(written)
})

test('the table of the docs has no action that nobody does', () => {
  const forms = readRows().flatMap(row => row.forms)
  expect(forms.filter(form => !actions.some(action => isOfForm(action, form)))).toEqual([])
})

test('the guide for SIEMs names actions that there are', () => {
  const guide = readFileSync(join(repository, 'docs/guide-siem.md'), 'utf8')
  const alarms = [...guide.matchAll(/^\| (`.+`)[^|]* \|/gm)].flatMap(([, list = '']) =>
    [...list.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map(([, action = '']) => action),
  )
  expect(alarms.length).toBeGreaterThan(10)
  expect(alarms.filter(action => !actions.includes(action))).toEqual([])
})

test.each(['done', 'refused'] as const)('an event of each action that was %s is whole', outcome => {
  for (const action of actions) {
    const entry = sealEntry({
      seq: 7,
      id: 'entry-7',
      at: '2026-11-28T12:00:00.000Z',
      tenant_id: 'tenant-1',
      actor: { kind: 'user', id: 'user-1', name: 'ada@example.com' },
      authenticated_by: 'session',
      address: null,
      user_agent: null,
      action,
      target: { type: 'tenant', id: 'tenant-1', name: null },
      before: null,
      after: null,
      outcome,
      reason: outcome === 'done' ? null : 'forbidden',
      request_id: null,
      prev_hash: noHash,
    })
    const { kind, activity } = classOf(action)
    expect(toCloudEvent(entry, 'https://gateway.example.com/audit/tenant-1')).toMatchObject({
      type: `sallyport.audit.${action}`,
      data: {
        category_uid: 3,
        class_uid: kind.class_uid,
        activity_id: activity?.id,
        activity_name: activity?.name,
        type_uid: kind.class_uid * 100 + (activity?.id ?? 0),
        status_id: outcome === 'done' ? 1 : 2,
        message: action,
        metadata: { sequence: 7 },
        // What the class asks for beside what all events have.
        ...(kind.class_uid === 3002 ? { user: { uid: 'user-1' } } : { entity: { type: 'tenant' } }),
      },
    })
  }
})
