import './media.test.js'
