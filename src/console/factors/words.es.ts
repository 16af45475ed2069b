import { common } from '../words.ts'
import type { words as english } from './words.ts'

const { number } = common

export const words: typeof english = {
  stepTitle: 'Un paso más',
  stepSubmit: 'Continuar',
  signOut: 'Cerrar sesión',
  stepImpossible:
    'Este navegador no puede usar tus claves de acceso. Usa otro navegador o pide ayuda a un propietario de este servidor.',
  ways: {
    passkey: 'Usar una clave de acceso',
    totp: 'Usar un código de tu aplicación',
    'recovery-code': 'Usar un código de recuperación',
  },
  passkeyLead: 'Tu navegador pide tu huella, tu cara, tu PIN o tu llave de seguridad.',
  code: 'Código de tu aplicación de autenticación',
  codeHint: 'Seis cifras.',
  recoveryCode: 'Código de recuperación',
  recoveryCodeHint: 'Uno de los que guardaste al configurar el segundo factor. Cada uno sirve una vez.',
  passkeyKnown: 'Este dispositivo ya tiene una clave de acceso de tu cuenta.',
  passkeyFailed: (name) =>
    name === 'NotAllowedError' || name === 'AbortError'
      ? 'No se ha usado la clave de acceso. Inténtalo de nuevo o elige otra forma.'
      : 'Este navegador no ha podido usar una clave de acceso en esta dirección. Elige otra forma.',

  confirmTitle: 'Confirma que eres tú',
  confirmLead: 'Iniciaste sesión hace un rato, y este cambio necesita una nueva confirmación.',
  confirmSignIn: 'Para hacer este cambio, cierra la sesión y vuelve a iniciarla. Hasta ahora no ha cambiado nada.',
  confirmBy: { passkey: 'Usar una clave de acceso', totp: 'Confirmar', password: 'Confirmar' },
  confirmWays: {
    passkey: 'Usar una clave de acceso',
    totp: 'Usar un código de tu aplicación',
    password: 'Usar tu contraseña',
  },

  toFactors: 'Ir a tu segundo factor',
  title: 'Segundo factor',
  lead: 'Con un segundo factor, tu contraseña por sí sola no deja entrar a nadie.',
  passkeys: 'Claves de acceso',
  addPasskey: 'Añadir una clave de acceso',
  passkeyName: 'Nombre',
  passkeyNameHint: 'Por su nombre la reconoces en esta lista, por ejemplo «Portátil» o «Llavero».',
  noPasskey:
    'No tienes ninguna. Una clave de acceso se guarda en tu dispositivo, tu gestor de contraseñas o tu llave de seguridad.',
  noPasskeysHere:
    'Las claves de acceso solo funcionan donde la dirección de esta página empieza por https y tiene un nombre, como example.com.',
  added: (day) => `añadida ${day}`,
  lastUsed: (time) => (time === undefined ? 'nunca usada' : `usada por última vez ${time}`),
  passkeyAdded: 'Se ha añadido la clave de acceso. Se ha cerrado tu sesión en los demás dispositivos.',
  remove: 'Quitar',
  removePasskey: (name) => `¿Quitar la clave de acceso ${name}?`,
  removeText: 'Ya no te deja entrar.',
  removeLast: 'Es tu único segundo factor: tus códigos de recuperación se quitan con él.',
  removed: 'Quitado.',
  totp: 'Aplicación de autenticación',
  noTotp: 'No tienes ninguna. Una aplicación de tu teléfono muestra un código nuevo cada 30 segundos.',
  setUpTotp: 'Configurar una aplicación',
  setUpSince: (day) => `configurada ${day}`,
  removeTotp: '¿Quitar la aplicación de autenticación?',
  scan: 'Lee esta imagen con la aplicación o escribe en ella el secreto.',
  qr: 'Código QR para la aplicación de autenticación',
  secret: 'Secreto',
  totpAdded: 'La aplicación de autenticación está configurada. Se ha cerrado tu sesión en los demás dispositivos.',
  finish: 'Terminar',
  recovery: 'Códigos de recuperación',
  recoveryLead: 'Usa uno si has perdido el dispositivo de tu segundo factor.',
  codesLeft: (many) => (many === 0 ? 'No queda ninguno.' : many === 1 ? 'Queda 1.' : `Quedan ${number(many)}.`),
  newCodes: 'Crear códigos nuevos',
  newCodesTitle: '¿Crear códigos de recuperación nuevos?',
  newCodesText: 'Los actuales dejan de servir.',
  codesMade: 'Tienes códigos de recuperación nuevos.',
  codesTitle: 'Guarda tus códigos de recuperación',
  codesReady: 'Cada uno te deja entrar una vez si pierdes el segundo factor. Solo se muestran una vez.',
  downloadCodes: 'Descargar',
  codesFile: 'greenroom-codigos-de-recuperacion.txt',
  codesHead: 'Códigos de recuperación de Greenroom, cada uno sirve una vez',

  requiredTitle: 'Esta organización pide un segundo factor',
  required: (organization) =>
    `${organization} solo admite a quienes han iniciado sesión con un segundo factor, como una clave de acceso o una aplicación de autenticación. Configurarlo lleva un minuto.`,
  requiredAgain: (organization) =>
    `${organization} solo admite a quienes han iniciado sesión con su segundo factor. Cierra la sesión e iníciala con el tuyo.`,
}
