// The environment variables by which the operator bounds all tenants.
import { defaultLimits } from '../domain/settings/settings-limits.ts'
import * as read from './values.ts'
import { variable } from './variable.ts'

export const limitVariables = {
  TENANT_CREATION: variable(
    read.oneOf(['anyone', 'operator']).prefault('anyone'),
    'Who creates tenants: `anyone` with an account, or the `operator` alone (`POST /v1/admin/tenants`)',
  ),
  DEFAULT_PLAN: variable(read.oneOf(['free', 'pro']).prefault('free'), 'Plan of new tenants: `free` or `pro`'),
  MAX_TIERS: variable(
    read.integer(1, 1_000).prefault(String(defaultLimits.maxTiers)),
    'Maximum number of tiers of a project',
  ),
  MAX_RPM_LIMIT: variable(
    read.integer(60, 10_000_000).prefault(String(defaultLimits.maxRpmLimit)),
    'Largest `rpm_limit` and `user_rpm_limit` that a project may set',
  ),
  PLATFORM_TOKENS_PER_DAY: variable(
    read.integer(1, 999_999_999_999).optional(),
    "Maximum tokens per day (UTC) of all tenants together that the platform's keys pay for",
  ),
  PLATFORM_TENANT_TOKENS_PER_DAY: variable(
    read.integer(1, 999_999_999_999).optional(),
    "Maximum tokens per day (UTC) of each tenant that the platform's keys pay for",
  ),
  PLATFORM_USD_PER_DAY: variable(
    read.nanoUsd.optional(),
    "Maximum US dollars per day (UTC) of all tenants together that the platform's keys pay for",
  ),
  PLATFORM_TENANT_USD_PER_DAY: variable(
    read.nanoUsd.optional(),
    "Maximum US dollars per day (UTC) of each tenant that the platform's keys pay for",
  ),
  AUDIT_DAYS: variable(
    read.integer(1, 36_500).prefault('400'),
    'Days for which entries of the audit are kept; whole months are dropped',
  ),
}
