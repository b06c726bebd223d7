// Orders the targets of a project's routes for one request: the first one is asked, the others only if it fails.

import { findNamedModel } from '../model-id.ts'
import type { Routes, RouteTarget } from '../settings/routes.ts'

export interface TargetOrder {
  /** The request's `model`, with or without the provider's prefix. */
  requested: string | null
  /** The models that a request may choose; null allows all. */
  allowed: readonly string[] | null
  /** Results of two models cannot be compared: only the same model of another provider may take its place. */
  needsNamedModel: boolean
  /** Above 0 and at most 1, evenly distributed; the same for all requests that are to get the same target. */
  draw: (model: string) => number
}

export function orderTargets(routes: Routes, order: TargetOrder): readonly RouteTarget[] {
  const named = findNamedTarget(routes, order)
  const targets = order.needsNamedModel ? routes.targets.filter(target => isSameModel(target, named)) : routes.targets
  const ordered = routes.strategy === 'weighted' ? orderByWeight(targets, order.draw) : targets
  if (named === null || ordered[0]?.model === named) return ordered
  return [...ordered.filter(({ model }) => model === named), ...ordered.filter(({ model }) => model !== named)]
}

/** The model of the target that the request names; null if it names none of them. */
export function findNamedTarget(
  { targets }: Routes,
  { requested, allowed }: Pick<TargetOrder, 'requested' | 'allowed'>,
): string | null {
  if (requested === null) return null
  const ids = targets.map(({ model }) => model).filter(id => allowed?.includes(id) !== false)
  return findNamedModel(requested, ids)
}

function isSameModel({ model }: RouteTarget, named: string | null): boolean {
  return named !== null && model.slice(model.lastIndexOf('/')) === named.slice(named.lastIndexOf('/'))
}

/**
 * Each target comes first as often as its weight says, and second among those that are left, and so on. If a target is
 * added or removed, or its weight changes, only its own share of the requests moves.
 */
function orderByWeight(targets: readonly RouteTarget[], draw: TargetOrder['draw']): RouteTarget[] {
  const drawn = targets.map(target => ({ target, wait: -Math.log(draw(target.model)) / (target.weight ?? 1) }))
  return drawn.sort((a, b) => a.wait - b.wait).map(({ target }) => target)
}
