import type { EntryLink, IssuedInvitation } from '../client/index.js'
import type { Cli } from './io.js'
import { note, printObject } from './output.js'
import { readTarget } from './settings.js'

/** Prints a sign-in link with the server's address, to pass on to the person it is for. */
export function printLink(cli: Cli, { token: _, path, ...rest }: EntryLink | IssuedInvitation): void {
  printObject(cli, { ...rest, link: readTarget(cli).url + path })
  note(cli, 'Give the link to the person now: it is not shown again, and works once.')
}
