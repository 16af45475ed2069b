import type { EntryLink, IssuedInvitation } from '../client/index.js'
import type { Cli } from './io.js'
import { note, printObject } from './output.js'
import { readTarget } from './settings.js'

/** Prints a link with the address of the server before it, for the person whom it lets in. */
export function printLink(cli: Cli, { token: _, path, ...rest }: EntryLink | IssuedInvitation): void {
  printObject(cli, { ...rest, link: readTarget(cli).url + path })
  note(cli, 'Hand the link to the person now: it is not shown again, and works once.')
}
