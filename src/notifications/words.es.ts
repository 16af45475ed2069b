import type { InboxKind } from '../interface/inbox.js'
import { type PersonMailKind, plural } from './wording.js'
import type { MailWords, NewsWords, NoticeWords } from './words.js'

const IF_NOT_YOU =
  'Si no has sido tú: inicia sesión, ciérrala en todos los dispositivos, cambia tu contraseña (ambas cosas están en la página de tu cuenta) y avisa al administrador del servidor.'

const named = (post: string): string => (post === '' ? '' : ` ${post}`)

const NOTICES: Record<PersonMailKind, NoticeWords> = {
  'sign-in': {
    subject: (many) =>
      plural(many, 'Nuevo inicio de sesión en tu cuenta', `${many.text} nuevos inicios de sesión en tu cuenta`),
    happened: 'Se ha iniciado sesión en tu cuenta con un navegador o desde una red que no se habían visto antes:',
    todo: IF_NOT_YOU,
  },
  'password-set': {
    subject: (many) => plural(many, 'Se ha definido tu contraseña', `Se ha definido tu contraseña ${many.text} veces`),
    happened: 'Se ha definido la contraseña de tu cuenta:',
    todo: 'Si no has sido tú: avisa de inmediato al administrador del servidor, que cierra tus sesiones y te da un enlace para entrar; después define otra contraseña.',
  },
  'provider-linked': {
    subject: (many) =>
      plural(
        many,
        'Tu cuenta se ha vinculado con el proveedor de identidad',
        `Tu cuenta se ha vinculado con el proveedor de identidad ${many.text} veces`,
      ),
    happened: 'Tu cuenta se ha vinculado con el proveedor de identidad, con el que desde ahora puedes iniciar sesión:',
    todo: IF_NOT_YOU,
  },
  'factor-added': {
    subject: (many) =>
      plural(
        many,
        'Se ha añadido un segundo factor a tu cuenta',
        `Se han añadido ${many.text} segundos factores a tu cuenta`,
      ),
    happened: 'Se ha añadido a tu cuenta un segundo factor para iniciar sesión:',
    todo: IF_NOT_YOU,
  },
  'factor-removed': {
    subject: (many) =>
      plural(
        many,
        'Se ha quitado un segundo factor de tu cuenta',
        `Se han quitado ${many.text} segundos factores de tu cuenta`,
      ),
    happened: 'Se ha quitado de tu cuenta un segundo factor para iniciar sesión:',
    todo: IF_NOT_YOU,
  },
  'factors-reset': {
    subject: (many) =>
      plural(
        many,
        'Se han restablecido los segundos factores de tu cuenta',
        `Se han restablecido los segundos factores de tu cuenta ${many.text} veces`,
      ),
    happened: 'La administración del servidor ha quitado todos los segundos factores de tu cuenta:',
    todo: 'Si no lo has pedido: avisa de inmediato al administrador del servidor. Si lo has pedido, configúralos de nuevo en la página de tu cuenta.',
  },
  'token-made': {
    subject: (many) =>
      plural(many, 'Un programa tiene acceso a tu cuenta', `${many.text} programas tienen acceso a tu cuenta`),
    happened: 'Se ha creado un token personal con el que un programa actúa por ti:',
    todo: IF_NOT_YOU,
  },
  'password-link': {
    subject: () => 'Define una nueva contraseña',
    happened: 'Con la dirección de correo de tu cuenta se ha pedido un enlace, porque se ha olvidado la contraseña:',
    todo: 'Si has sido tú: este enlace te deja entrar una vez, durante 30 minutos, y allí defines una nueva contraseña. Si no has sido tú, no tienes que hacer nada: tu contraseña sigue como está.',
  },
  'operator-token-expiring': {
    subject: (many) =>
      plural(many, 'Un token de operador caduca pronto', `${many.text} tokens de operador caducan pronto`),
    happened: 'Cuando un token de operador caduca, se rechaza:',
    todo: 'Emite otro, cambia lo que lo usa y revoca este: con `greenroom operator-tokens issue` o en los ajustes del servidor en la consola.',
  },
}

const NEWS: Record<InboxKind, NewsWords> = {
  returned: {
    subject: (many) => plural(many, 'Tu publicación ha vuelto', `Han vuelto ${many.text} de tus publicaciones`),
    said: (post, by) => `Tu publicación${named(post)} ha sido devuelta por ${by}`,
    quoted: ', por este motivo:',
    unquoted: '. El motivo está en la consola.',
  },
  approved: {
    subject: (many) =>
      plural(many, 'Tu publicación está aprobada', `${many.text} de tus publicaciones están aprobadas`),
    said: (post, by) => `Tu publicación${named(post)} ha sido aprobada por ${by}. Se publicará a su hora.`,
    quoted: '',
    unquoted: '',
  },
  failed: {
    subject: (many) => plural(many, 'Tu publicación no ha salido', `${many.text} de tus publicaciones no han salido`),
    said: (post) => `Tu publicación${named(post)} no ha salido en todos los canales`,
    quoted: ', por este motivo:',
    unquoted: '. El motivo está en la consola.',
  },
  published: {
    subject: (many) => plural(many, 'Tu publicación ha salido', `Han salido ${many.text} de tus publicaciones`),
    said: (post) => `Tu publicación${named(post)} ha salido.`,
    quoted: '',
    unquoted: '',
  },
  mentioned: {
    subject: (many) =>
      plural(many, 'Te han mencionado en un debate', `Te han mencionado ${many.text} veces en debates`),
    said: (post, by) => `Te ha mencionado ${by} en el debate de la publicación${named(post)}`,
    quoted: ':',
    unquoted: '. El mensaje está en la consola.',
  },
  replied: {
    subject: (many) =>
      plural(
        many,
        'Hay un mensaje nuevo sobre una publicación',
        `Hay ${many.text} mensajes nuevos sobre publicaciones`,
      ),
    said: (post, by) => `En el debate de la publicación${named(post)} ha escrito ${by}`,
    quoted: ':',
    unquoted: '. El mensaje está en la consola.',
  },
}

export const words: MailWords = {
  hello: (name) => (name === '' ? 'Hola:' : `Hola, ${name}:`),
  quote: (text) => `«${text}»`,
  unexpected: 'Si no esperabas este correo, no tienes que hacer nada.',
  byRole: 'Recibes este correo por tu rol allí. En la consola puedes desactivar estos correos para ti.',
  invitation: {
    subject: (organization) => `Invitación a una organización llamada «${organization}»`,
    text: (organization) =>
      `Te invitan a trabajar en Greenroom con una organización que se llama a sí misma «${organization}»: el nombre se lo ha dado quien te invita. Este enlace te deja entrar; sirve una vez y durante 7 días:`,
  },
  reviewLink: {
    subject: (organization) => `${organization} pide tu aprobación`,
    text: (organization) =>
      `Una organización que se llama a sí misma «${organization}» te pide que mires unas publicaciones antes de que salgan. Este enlace las abre; apruebas o devuelves cada una y no necesitas cuenta:`,
    keep: 'Guarda este correo para ti: quien tenga el enlace puede decidir en tu nombre.',
  },
  approval: {
    subject: (many, organization) =>
      plural(
        many,
        `Una publicación de ${organization} espera aprobación`,
        `${many.text} publicaciones de ${organization} esperan aprobación`,
      ),
    text: (many) =>
      plural(
        many,
        'Se ha enviado una publicación a aprobación:',
        `Se han enviado ${many.text} publicaciones a aprobación:`,
      ),
  },
  postFailed: {
    subject: (many, organization) =>
      plural(
        many,
        `Una publicación de ${organization} no ha salido`,
        `${many.text} publicaciones de ${organization} no han salido`,
      ),
    text: (many) =>
      `${plural(many, 'Una publicación no ha podido', `${many.text} publicaciones no han podido`)} salir en todos los canales. La consola dice por qué y deja intentarlo de nuevo:`,
  },
  tokenRefused: {
    subject: (organization) => `Hay que conectar de nuevo ${organization} con la plataforma`,
    text: (many) =>
      `La plataforma rechaza ${plural(many, 'el token de acceso de un canal o una cuenta publicitaria', `los tokens de acceso de ${many.text} canales o cuentas publicitarias`)}: allí no se publica ni se lee nada hasta que se conecte de nuevo.`,
  },
  keyExpiring: {
    subject: (many, organization) =>
      plural(
        many,
        `Una clave de ${organization} caduca pronto`,
        `${many.text} claves de ${organization} caducan pronto`,
      ),
    text: (many) =>
      plural(
        many,
        'Esta clave caduca en menos de 14 días, y desde entonces se rechazan los programas que la usan. Emite otra, cambia los programas y revoca la anterior:',
        'Estas claves caducan en menos de 14 días, y desde entonces se rechazan los programas que las usan. Emite otras, cambia los programas y revoca las anteriores:',
      ),
  },
  notices: NOTICES,
  from: (address) => `desde ${address}`,
  unknownAddress: 'una dirección desconocida',
  browser: (browser, system) =>
    `con ${browser ?? 'un navegador desconocido'}${system === undefined ? '' : ` en ${system}`}`,
  tokenEnds: (token, time) => `${token}, que caduca el ${time}`,
  before: (many) => `y ${many.text} anteriores`,
  gathered: (time) => `Ha habido varios correos como este. Lo que siga llega en uno solo, no antes de las ${time}.`,
  server: (url) => `El servidor está en ${url}`,
  news: NEWS,
  newsOf: (subject, organization) => `${subject} (${organization})`,
  severalNews: (many) => `Novedades de tus publicaciones: ${many.text}`,
  moreNews: (many) => `Hay más novedades en tu bandeja de entrada: ${many.text}.`,
  allNews: (url) => `Todas las novedades están en tu bandeja de entrada: ${url}`,
  whyNews:
    'Recibes este correo porque escribiste estas publicaciones o se te nombró en sus debates. En los ajustes de la consola, en Tú, eliges las novedades que recibes por correo.',
  someone: 'otra persona',
  program: 'un programa',
  operator: 'el operador del servidor',
}
