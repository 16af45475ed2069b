import './lifetime-value.test.js'
