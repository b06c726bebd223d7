// The role of a member as a field of requests and responses.

import { z } from 'zod'

export const roleSchema = z.enum(['owner', 'member', 'viewer'], { error: 'role must be one of: owner, member, viewer' })
