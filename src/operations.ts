import { listAdAccounts } from './campaigns/list-ad-accounts.js'
import type { ApiOperation, OperatorOperation } from './http/operation.js'
import { listVipUsers, listVipUsersEarlier } from './vip-users/list-vip-users.js'
import { listChannels } from './workspaces/list-channels.js'
import { listWorkspaces } from './workspaces/list-workspaces.js'

/** Every operation there is. The app, OpenAPI and the contract tests iterate over these lists. */

/** `/v1`: the current form of the interface. */
export const currentOperations: readonly ApiOperation[] = [listWorkspaces, listChannels, listVipUsers, listAdAccounts]

/** `/v0`: the earlier variant (interface 9.4). */
export const earlierOperations: readonly ApiOperation[] = [listVipUsersEarlier]

/** `/operator`. */
export const operatorOperations: readonly OperatorOperation[] = []
