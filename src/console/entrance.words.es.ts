import type { words as english } from './entrance.words.ts'

export const words: typeof english = {
  noOrganizationTitle: 'Todavía no estás en ninguna organización',
  noOrganization: 'Pide a un administrador que te invite a una.',
  signIn: {
    several: 'Tienes una cuenta en cada una de estas organizaciones. ¿Cuál quieres?',
    title: 'Iniciar sesión',
    mail: 'Dirección de correo',
    password: 'Contraseña',
    submit: 'Iniciar sesión',
    byPasskey: 'Iniciar sesión con una clave de acceso',
    again: 'Tu sesión ha terminado',
    againText: 'Inicia sesión de nuevo para continuar donde estabas. Lo que has escrito sigue aquí.',
    as: (mail) => `Iniciar sesión como ${mail}`,
    linkLead: 'Este enlace sirve una vez. Se gasta cuando haces clic en el botón.',
    byLink: 'Iniciando sesión…',
    linkSpent: 'Este enlace ya se ha usado o ha caducado. Pide otro.',
    needsHttps:
      'Tu navegador solo mantiene la sesión por https. Abre esta página con una dirección que empiece por https.',
  },
  forgot: {
    ask: '¿Has olvidado tu contraseña?',
    lead: 'Escribe la dirección de correo de tu cuenta. Recibes un enlace con el que defines una contraseña nueva.',
    submit: 'Enviar el enlace',
    sent: (mail) =>
      `Si ${mail} es la dirección confirmada de una cuenta de aquí, hay un enlace en camino. Sirve una vez, durante 30 minutos. Si no llega nada, pregunta a un administrador.`,
    back: 'Volver a iniciar sesión',
  },
  provider: {
    signIn: (name) => `Iniciar sesión con ${name}`,
    elsewhere: 'Inicia sesión en la otra ventana. Después esta página continúa por sí sola.',
    invited: (organization) => `Tienes una invitación a ${organization}.`,
    failed: 'No has iniciado sesión',
  },
  invitation: {
    title: 'Te damos la bienvenida a Greenroom',
    lead: (kind, organization, hasAccount) =>
      kind === 'owner'
        ? 'Eres la primera persona aquí: crea tu cuenta como propietario de este servidor.'
        : hasAccount
          ? `Tienes una invitación a ${organization}. Acéptala con la contraseña de tu cuenta.`
          : `Tienes una invitación a ${organization}. Elige un nombre y una contraseña para empezar.`,
    personName: 'Tu nombre',
    haveAccount: 'Ya tengo una cuenta aquí',
    haveNone: 'Todavía no tengo una cuenta aquí',
    passwordHint:
      '12 caracteres o más. Unas cuantas palabras seguidas son fáciles de recordar y difíciles de adivinar.',
    submit: 'Empezar',
  },
  replaceTitle: 'Ya has iniciado sesión',
  signedInAs: (name, mail) => `Has iniciado sesión como ${name} (${mail}).`,
  linkAsks: (mail) => `Este enlace es para ${mail}. ¿Iniciar sesión como esa persona?`,
  invitationAsks: (mail, organization) =>
    mail === undefined
      ? 'Esta invitación crea una cuenta para un propietario de este servidor. ¿Continuar con ella?'
      : `Esta invitación a ${organization} es para ${mail}. ¿Continuar como esa persona?`,
  stay: 'Seguir como estoy',
  replace: 'Continuar con el enlace',
}
