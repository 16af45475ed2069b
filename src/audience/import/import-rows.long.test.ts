import './import-rows.test.js'
