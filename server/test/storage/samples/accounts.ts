// Sample rows of people, tenants and projects.
import { long, type Rows, time } from './rows.ts'

export const accountRows = {
  users: [
    {
      id: 'u1',
      email: 'zoë@example.com',
      password_hash: '$argon2id$v=19$',
      home_tenant_id: 't1',
      email_proven_at: time,
      created_at: time,
    },
    { id: 'u2', email: '', password_hash: null, home_tenant_id: null, email_proven_at: null, created_at: 0 },
  ],
  sessions: [
    {
      token_digest: 'd1',
      user_id: 'u1',
      created_at: time,
      expires_at: Number.MAX_SAFE_INTEGER,
      last_seen_at: time,
      address: '192.0.2.1',
      user_agent: long,
    },
    {
      token_digest: '',
      user_id: 'u2',
      created_at: 0,
      expires_at: 0,
      last_seen_at: null,
      address: null,
      user_agent: null,
    },
  ],
  ended_sessions: [
    { token_digest: 'd2', expires_at: Number.MAX_SAFE_INTEGER },
    { token_digest: '', expires_at: 0 },
  ],
  tenants: [
    {
      id: 't1',
      name: 'Ümläut & <söhne> 😀',
      plan: 'pro',
      provider_keys_revision: 1,
      created_at: time,
      deleted_at: time,
    },
    { id: 't2', name: '', plan: 'free', provider_keys_revision: 0, created_at: 0, deleted_at: null },
  ],
  memberships: [
    { tenant_id: 't1', user_id: 'u1', role: 'owner', created_at: time },
    { tenant_id: 't1', user_id: 'u2', role: 'viewer', created_at: 0 },
  ],
  invitations: [
    {
      id: 'i1',
      token_digest: 'x',
      tenant_id: 't1',
      email: 'a@b.c',
      role: 'member',
      created_at: 1,
      expires_at: 2,
      used_at: 3,
    },
    {
      id: 'i2',
      token_digest: 'y',
      tenant_id: 't1',
      email: '',
      role: 'viewer',
      created_at: 0,
      expires_at: 0,
      used_at: null,
    },
  ],
  roles: [
    {
      tenant_id: 't1',
      name: 'auditor',
      description: long,
      permissions: '["audit:read"]',
      created_at: time,
      updated_at: time,
    },
    { tenant_id: 't2', name: '', description: null, permissions: '[]', created_at: 0, updated_at: 0 },
  ],
  password_resets: [
    { token_digest: 'r1', user_id: 'u1', tenant_id: 't1', made_by: 'u2', created_at: time, expires_at: time },
    { token_digest: '', user_id: 'u2', tenant_id: null, made_by: null, created_at: 0, expires_at: 0 },
  ],
  projects: [
    {
      id: 'p1',
      tenant_id: 't1',
      name: "Robert'); drop table projects;--",
      slug: 'amber-falcon-4821',
      status: 'active',
      dns_status: 'FAILED',
      dns_last_error: 'REFUSED\n\ttwice "quoted" \\ %',
      dns_updated_at: time,
      created_at: time,
      dns_made_for: 'rfc2136 gate.test A 192.0.2.1',
      deleted_at: time,
    },
    {
      id: 'p2',
      tenant_id: 't2',
      name: '',
      slug: 'b',
      status: 'suspended',
      dns_status: 'PENDING',
      dns_last_error: null,
      dns_updated_at: null,
      created_at: 0,
      dns_made_for: null,
      deleted_at: null,
    },
  ],
  retired_slugs: [
    { slug: 'old-falcon-12', retired_at: time },
    { slug: '', retired_at: 0 },
  ],
} satisfies Partial<Rows>
