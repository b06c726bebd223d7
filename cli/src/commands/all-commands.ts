// All commands that need an installation or its files. A new command is one file and one line here.
import type { Command } from '../frame/command.ts'
import { whoamiCommand } from './account.ts'
import { auditVerifyCommand } from './audit/audit-verify.ts'
import { createCompletionCommand } from './completion.ts'
import { deployCommand, rollbackCommand } from './deployments.ts'
import { doctorCommand } from './doctor/doctor.ts'
import { eventsCommand } from './events.ts'
import { fileCommands } from './files/file-commands.ts'
import { promptCommands } from './files/prompt-commands.ts'
import { importCommands } from './imports/import-commands.ts'
import { keyCommands } from './keys.ts'
import { killSwitchCommands } from './kill-switch.ts'
import { loginCommand, logoutCommand } from './login.ts'
import { meterCommands } from './meter.ts'
import { meterCustomerCommands } from './meter-customers.ts'
import { modelsCommand } from './models.ts'
import { projectCommands } from './projects.ts'
import { providerCommands } from './providers.ts'
import { requestsCommand } from './requests.ts'
import { settingsCommands } from './settings.ts'
import { tenantCommand } from './tenants.ts'
import { tierCommands } from './tiers.ts'
import { tokenCommand } from './token.ts'
import { usageCommand } from './usage.ts'
import { userCommands } from './users.ts'

export const commands: readonly Command[] = [
  loginCommand,
  logoutCommand,
  whoamiCommand,
  tenantCommand,
  ...projectCommands,
  ...keyCommands,
  ...providerCommands,
  modelsCommand,
  ...settingsCommands,
  ...tierCommands,
  ...promptCommands,
  ...fileCommands,
  ...importCommands,
  deployCommand,
  rollbackCommand,
  ...userCommands,
  requestsCommand,
  eventsCommand,
  usageCommand,
  ...meterCommands,
  ...meterCustomerCommands,
  ...killSwitchCommands,
  tokenCommand,
  auditVerifyCommand,
  doctorCommand,
  createCompletionCommand(() => commands),
]
