// The roles of members as a field of requests and answers.

import { z } from 'zod'

export const roleSchema = z.enum(['owner', 'member', 'viewer'], { error: 'role must be one of: owner, member, viewer' })
