// Errors about people, tenants and projects: rows of the table in errors.ts.

export const accountRows = {
  // People
  write_header_required: { status: 403, message: 'A request with a session cookie needs the header X-Sallyport: 1' },
  invalid_session: { status: 401, message: 'Invalid session' },
  session_issuer_unavailable: { status: 503, message: 'Session issuer unavailable', retryable: true },
  invalid_login: { status: 401, message: 'Invalid email or password' },
  invalid_admin_secret: { status: 401, message: 'Invalid admin secret' },
  too_many_attempts: { status: 429, message: 'Too many failed attempts. Try again later.' },
  wrong_password: { status: 401, message: 'Invalid current password' },
  session_not_found: { status: 404, message: 'Session not found' },
  reset_not_found: { status: 404, message: 'Reset link not found' },
  operator_resets: { status: 403, message: 'Only the operator can reset this account' },
  invitation_sign_in: { status: 401, message: 'Sign in as the invited person to accept' },
  invitation_not_found: { status: 404, message: 'Invitation not found' },
  last_owner: { status: 409, message: 'A tenant must keep at least one owner' },
  role_not_found: { status: 404, message: 'Role not found' },
  role_held: { status: 409, message: 'Members or open invitations have this role' },
  role_limit: { status: 409, message: 'A tenant can have at most 50 roles' },
  permission_missing: { status: 403, message: 'Needs a permission', code: 'permission_missing' },
  service_account_not_found: { status: 404, message: 'Service account not found' },
  service_account_limit: { status: 409, message: 'A tenant can have at most 100 service accounts' },
  service_account_expired: { status: 401, message: 'Service account key expired' },
  only_for_people: { status: 403, message: 'Service accounts cannot use this route', code: 'only_for_people' },
  already_member: { status: 409, message: 'Already a member of this tenant' },

  // Tenants and projects
  tenant_not_found: { status: 404, message: 'Tenant not found', code: 'TENANT_NOT_FOUND' },
  tenants_by_operator: { status: 403, message: 'Only the operator creates tenants on this installation' },
  project_not_found: { status: 404, message: 'Project not found' },
  tenant_has_projects: { status: 409, message: 'Suspend all projects of the tenant first' },
  project_not_suspended: { status: 409, message: 'Suspend the project first' },
  free_plan_projects: { status: 403, message: 'Free plan is limited to 3 projects' },
  not_failed: { status: 400, message: 'Provisioning can only be retried after it has failed' },
} as const
