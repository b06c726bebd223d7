// The Vue example, which shows nothing more than the answer.
import { testChat } from './anonymous-chat.ts'

testChat({ name: 'vue', packages: ['sdk'] }, ({ page }) => page.waitForSelector('[role=alert]', { hidden: true }))
