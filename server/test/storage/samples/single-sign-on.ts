// Sample rows of single sign-on.
import { long, type Rows, time } from './rows.ts'

export const ssoRows = {
  sso_connections: [
    {
      tenant_id: 't1',
      issuer: 'https://login.example.com/',
      client_id: 'sallyport',
      ciphertext: 'v1.sealed',
      domains: '["example.com"]',
      required: 1,
      break_glass_user_id: 'u1',
      default_role: 'viewer',
      role_claim: 'groups',
      role_map: long,
      created_at: time,
      updated_at: time,
    },
    {
      tenant_id: 't2',
      issuer: '',
      client_id: '',
      ciphertext: '',
      domains: '[]',
      required: 0,
      break_glass_user_id: null,
      default_role: '',
      role_claim: null,
      role_map: '{}',
      created_at: 0,
      updated_at: 0,
    },
  ],
  sso_domains: [
    { domain: 'example.com', tenant_id: 't1' },
    { domain: '', tenant_id: 't2' },
  ],
  sso_identities: [
    {
      id: 'si1',
      tenant_id: 't1',
      issuer: 'https://login.example.com/',
      subject: 'zoë',
      user_id: 'u1',
      created_at: time,
      last_used_at: time,
    },
    { id: 'si2', tenant_id: '', issuer: '', subject: '', user_id: 'u2', created_at: 0, last_used_at: 0 },
  ],
  sso_attempts: [
    { state_digest: 's1', browser_digest: 'b1', tenant_id: 't1', return_to: long, expires_at: time },
    { state_digest: '', browser_digest: '', tenant_id: '', return_to: '', expires_at: 0 },
  ],
  sso_links: [
    {
      browser_digest: 'b1',
      tenant_id: 't1',
      issuer: 'https://login.example.com/',
      subject: 'zoë',
      email: 'zoë@example.com',
      role: 'member',
      return_to: long,
      expires_at: time,
    },
    {
      browser_digest: '',
      tenant_id: '',
      issuer: '',
      subject: '',
      email: '',
      role: null,
      return_to: '',
      expires_at: 0,
    },
  ],
} satisfies Partial<Rows>
