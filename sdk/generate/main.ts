// `npm run sdk:generate`: writes the types and the methods of the management client from the routes of this checkout.
import { writeFileSync } from 'node:fs'
import { describeManagement } from './describe-management.ts'

for (const [file, text] of await describeManagement()) writeFileSync(file, text)
