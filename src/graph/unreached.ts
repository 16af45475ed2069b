import { type CertificateFault, certificateFaultOf } from '../lib/certificate-fault.js'

/** Why no connection to the platform was made: a system error code, and the problem of a certificate. */
export interface Unreached {
  code: string
  certificate: CertificateFault | undefined
}

/** Returns undefined for a failure after which something may have been sent. */
export function toUnreached(code: string, error: unknown): Unreached | undefined {
  const certificate = certificateFaultOf(error)
  return certificate === undefined && !Object.hasOwn(FAULTS, code) ? undefined : { code, certificate }
}

const NO_NAME = { is: 'its name cannot be resolved', remedy: "Check the DNS of the server's machine." }
const NO_ANSWER = {
  is: 'nothing answers',
  remedy:
    "Allow connections from the server's machine to it in the firewall; a proxy from the environment (HTTPS_PROXY) is not used.",
}
const FAULTS: Readonly<Record<string, { is: string; remedy: string }>> = {
  ENOTFOUND: NO_NAME,
  EAI_AGAIN: NO_NAME,
  ECONNREFUSED: { is: 'the connection was refused', remedy: 'Correct GRAPH_BASE_URL, or open the firewall.' },
  ETIMEDOUT: NO_ANSWER,
  EHOSTUNREACH: NO_ANSWER,
  ENETUNREACH: NO_ANSWER,
  UND_ERR_CONNECT_TIMEOUT: NO_ANSWER,
}

/** Describes the failure to a person, with what to do on the server's machine. */
export function describeUnreached({ code, certificate }: Unreached): string {
  const { is, remedy } =
    certificate === undefined
      ? (FAULTS[code] ?? NO_ANSWER)
      : { is: `its certificate ${certificate.is}`, remedy: certificate.remedy }
  return `The server has no route to the platform (GRAPH_BASE_URL): ${is} (${code}). ${remedy}`
}
