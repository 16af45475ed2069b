import { test } from 'vitest'
import { leaveBehind } from './leave-behind.js'
test('x', async () => { await leaveBehind() })
