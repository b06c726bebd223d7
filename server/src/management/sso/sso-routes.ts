// The routes of single sign-on.

import type { ManagementDependencies } from '../dependencies.ts'
import type { Route } from '../plane/route.ts'
import { connectionRoutes } from './connections.ts'
import { callbackRoute } from './finish-sign-on.ts'
import { linkRoutes } from './link-identity.ts'
import { startRoutes } from './start-sign-on.ts'
import { testRoute } from './test-connection.ts'

export function ssoRoutes(management: ManagementDependencies): Route[] {
  return [
    ...startRoutes(management),
    callbackRoute(management),
    ...linkRoutes(management),
    ...connectionRoutes(management),
    testRoute(management),
  ]
}
