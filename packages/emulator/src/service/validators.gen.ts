// Made from openapi/openapi.yaml by `npm run generate`. Edits are lost.

// @ts-nocheck: Ajv's code has no types.
import type { Validate } from "./operation.ts";

var __getOwnPropNames = Object.getOwnPropertyNames;
var __commonJS = (cb, mod) => function() {
  try {
    return mod || (0, cb[__getOwnPropNames(cb)[0]])((mod = { exports: {} }).exports, mod), mod.exports;
  } catch (e) {
    throw mod = 0, e;
  }
};

var require_ucs2length = __commonJS({
  "node_modules/ajv/dist/runtime/ucs2length.js"(exports) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: !0 });
    function ucs2length(str) {
      let len = str.length, length = 0, pos = 0, value;
      for (; pos < len; )
        length++, value = str.charCodeAt(pos++), value >= 55296 && value <= 56319 && pos < len && (value = str.charCodeAt(pos), (value & 64512) === 56320 && pos++);
      return length;
    }
    exports.default = ucs2length;
    ucs2length.code = 'require("ajv/dist/runtime/ucs2length").default';
  }
});

var generateVidmodelv2 = validate20, schema31 = { type: "object", anyOf: [{ required: ["prompt"] }, { required: ["sourceImage.items"] }, { required: ["sourceImage"] }], properties: { prompt: { type: "string", maxLength: 8192, pattern: "\\S" }, "sourceImage.items": { type: "array", minItems: 1, maxItems: 2, items: { type: "string" } }, sourceImage: { type: "string" }, ratio: { type: "string", enum: ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9", "adaptive"] }, duration: { type: "integer", enum: [5, 10, 15] }, seed: { type: "integer" }, resolution: { type: "string", enum: ["480p", "720p"] }, fps: { type: "string", pattern: "\\S" }, generate_audio: { type: "string", enum: ["0", "1"] }, return_last_frame: { type: "string", enum: ["0", "1"] }, execution_expires_after: { type: "integer", minimum: 3600, maximum: 259200 }, websearch: { type: "string", enum: ["0", "1"] } } }, func1 = require_ucs2length().default, pattern4 = new RegExp("\\S", "u");
function validate20(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0, evaluated0 = validate20.evaluated;
  evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0);
  let _errs1 = errors, valid0 = !1, _errs2 = errors;
  if (data && typeof data == "object" && !Array.isArray(data) && data.prompt === void 0) {
    let err0 = { instancePath, schemaPath: "#/anyOf/0/required", keyword: "required", params: { missingProperty: "prompt" } };
    vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
  }
  var _valid0 = _errs2 === errors;
  valid0 = valid0 || _valid0;
  let _errs3 = errors;
  if (data && typeof data == "object" && !Array.isArray(data) && data["sourceImage.items"] === void 0) {
    let err1 = { instancePath, schemaPath: "#/anyOf/1/required", keyword: "required", params: { missingProperty: "sourceImage.items" } };
    vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
  }
  var _valid0 = _errs3 === errors;
  valid0 = valid0 || _valid0;
  let _errs4 = errors;
  if (data && typeof data == "object" && !Array.isArray(data) && data.sourceImage === void 0) {
    let err2 = { instancePath, schemaPath: "#/anyOf/2/required", keyword: "required", params: { missingProperty: "sourceImage" } };
    vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
  }
  var _valid0 = _errs4 === errors;
  if (valid0 = valid0 || _valid0, valid0)
    errors = _errs1, vErrors !== null && (_errs1 ? vErrors.length = _errs1 : vErrors = null);
  else {
    let err3 = { instancePath, schemaPath: "#/anyOf", keyword: "anyOf", params: {} };
    vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
  }
  if (data && typeof data == "object" && !Array.isArray(data)) {
    if (data.prompt !== void 0) {
      let data0 = data.prompt;
      if (typeof data0 == "string") {
        if (func1(data0) > 8192) {
          let err4 = { instancePath: instancePath + "/prompt", schemaPath: "#/properties/prompt/maxLength", keyword: "maxLength", params: { limit: 8192 } };
          vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
        }
        if (!pattern4.test(data0)) {
          let err5 = { instancePath: instancePath + "/prompt", schemaPath: "#/properties/prompt/pattern", keyword: "pattern", params: { pattern: "\\S" } };
          vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
        }
      } else {
        let err6 = { instancePath: instancePath + "/prompt", schemaPath: "#/properties/prompt/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
      }
    }
    if (data["sourceImage.items"] !== void 0) {
      let data1 = data["sourceImage.items"];
      if (Array.isArray(data1)) {
        if (data1.length > 2) {
          let err7 = { instancePath: instancePath + "/sourceImage.items", schemaPath: "#/properties/sourceImage.items/maxItems", keyword: "maxItems", params: { limit: 2 } };
          vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
        }
        if (data1.length < 1) {
          let err8 = { instancePath: instancePath + "/sourceImage.items", schemaPath: "#/properties/sourceImage.items/minItems", keyword: "minItems", params: { limit: 1 } };
          vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
        }
        let len0 = data1.length;
        for (let i0 = 0; i0 < len0; i0++)
          if (typeof data1[i0] != "string") {
            let err9 = { instancePath: instancePath + "/sourceImage.items/" + i0, schemaPath: "#/properties/sourceImage.items/items/type", keyword: "type", params: { type: "string" } };
            vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
          }
      } else {
        let err10 = { instancePath: instancePath + "/sourceImage.items", schemaPath: "#/properties/sourceImage.items/type", keyword: "type", params: { type: "array" } };
        vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
      }
    }
    if (data.sourceImage !== void 0 && typeof data.sourceImage != "string") {
      let err11 = { instancePath: instancePath + "/sourceImage", schemaPath: "#/properties/sourceImage/type", keyword: "type", params: { type: "string" } };
      vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
    }
    if (data.ratio !== void 0) {
      let data4 = data.ratio;
      if (typeof data4 != "string") {
        let err12 = { instancePath: instancePath + "/ratio", schemaPath: "#/properties/ratio/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
      }
      if (!(data4 === "16:9" || data4 === "4:3" || data4 === "1:1" || data4 === "3:4" || data4 === "9:16" || data4 === "21:9" || data4 === "adaptive")) {
        let err13 = { instancePath: instancePath + "/ratio", schemaPath: "#/properties/ratio/enum", keyword: "enum", params: { allowedValues: schema31.properties.ratio.enum } };
        vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
      }
    }
    if (data.duration !== void 0) {
      let data5 = data.duration;
      if (!(typeof data5 == "number" && !(data5 % 1) && !isNaN(data5))) {
        let err14 = { instancePath: instancePath + "/duration", schemaPath: "#/properties/duration/type", keyword: "type", params: { type: "integer" } };
        vErrors === null ? vErrors = [err14] : vErrors.push(err14), errors++;
      }
      if (!(data5 === 5 || data5 === 10 || data5 === 15)) {
        let err15 = { instancePath: instancePath + "/duration", schemaPath: "#/properties/duration/enum", keyword: "enum", params: { allowedValues: schema31.properties.duration.enum } };
        vErrors === null ? vErrors = [err15] : vErrors.push(err15), errors++;
      }
    }
    if (data.seed !== void 0) {
      let data6 = data.seed;
      if (!(typeof data6 == "number" && !(data6 % 1) && !isNaN(data6))) {
        let err16 = { instancePath: instancePath + "/seed", schemaPath: "#/properties/seed/type", keyword: "type", params: { type: "integer" } };
        vErrors === null ? vErrors = [err16] : vErrors.push(err16), errors++;
      }
    }
    if (data.resolution !== void 0) {
      let data7 = data.resolution;
      if (typeof data7 != "string") {
        let err17 = { instancePath: instancePath + "/resolution", schemaPath: "#/properties/resolution/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err17] : vErrors.push(err17), errors++;
      }
      if (!(data7 === "480p" || data7 === "720p")) {
        let err18 = { instancePath: instancePath + "/resolution", schemaPath: "#/properties/resolution/enum", keyword: "enum", params: { allowedValues: schema31.properties.resolution.enum } };
        vErrors === null ? vErrors = [err18] : vErrors.push(err18), errors++;
      }
    }
    if (data.fps !== void 0) {
      let data8 = data.fps;
      if (typeof data8 == "string") {
        if (!pattern4.test(data8)) {
          let err19 = { instancePath: instancePath + "/fps", schemaPath: "#/properties/fps/pattern", keyword: "pattern", params: { pattern: "\\S" } };
          vErrors === null ? vErrors = [err19] : vErrors.push(err19), errors++;
        }
      } else {
        let err20 = { instancePath: instancePath + "/fps", schemaPath: "#/properties/fps/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err20] : vErrors.push(err20), errors++;
      }
    }
    if (data.generate_audio !== void 0) {
      let data9 = data.generate_audio;
      if (typeof data9 != "string") {
        let err21 = { instancePath: instancePath + "/generate_audio", schemaPath: "#/properties/generate_audio/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err21] : vErrors.push(err21), errors++;
      }
      if (!(data9 === "0" || data9 === "1")) {
        let err22 = { instancePath: instancePath + "/generate_audio", schemaPath: "#/properties/generate_audio/enum", keyword: "enum", params: { allowedValues: schema31.properties.generate_audio.enum } };
        vErrors === null ? vErrors = [err22] : vErrors.push(err22), errors++;
      }
    }
    if (data.return_last_frame !== void 0) {
      let data10 = data.return_last_frame;
      if (typeof data10 != "string") {
        let err23 = { instancePath: instancePath + "/return_last_frame", schemaPath: "#/properties/return_last_frame/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err23] : vErrors.push(err23), errors++;
      }
      if (!(data10 === "0" || data10 === "1")) {
        let err24 = { instancePath: instancePath + "/return_last_frame", schemaPath: "#/properties/return_last_frame/enum", keyword: "enum", params: { allowedValues: schema31.properties.return_last_frame.enum } };
        vErrors === null ? vErrors = [err24] : vErrors.push(err24), errors++;
      }
    }
    if (data.execution_expires_after !== void 0) {
      let data11 = data.execution_expires_after;
      if (!(typeof data11 == "number" && !(data11 % 1) && !isNaN(data11))) {
        let err25 = { instancePath: instancePath + "/execution_expires_after", schemaPath: "#/properties/execution_expires_after/type", keyword: "type", params: { type: "integer" } };
        vErrors === null ? vErrors = [err25] : vErrors.push(err25), errors++;
      }
      if (typeof data11 == "number") {
        if (data11 > 259200 || isNaN(data11)) {
          let err26 = { instancePath: instancePath + "/execution_expires_after", schemaPath: "#/properties/execution_expires_after/maximum", keyword: "maximum", params: { comparison: "<=", limit: 259200 } };
          vErrors === null ? vErrors = [err26] : vErrors.push(err26), errors++;
        }
        if (data11 < 3600 || isNaN(data11)) {
          let err27 = { instancePath: instancePath + "/execution_expires_after", schemaPath: "#/properties/execution_expires_after/minimum", keyword: "minimum", params: { comparison: ">=", limit: 3600 } };
          vErrors === null ? vErrors = [err27] : vErrors.push(err27), errors++;
        }
      }
    }
    if (data.websearch !== void 0) {
      let data12 = data.websearch;
      if (typeof data12 != "string") {
        let err28 = { instancePath: instancePath + "/websearch", schemaPath: "#/properties/websearch/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err28] : vErrors.push(err28), errors++;
      }
      if (!(data12 === "0" || data12 === "1")) {
        let err29 = { instancePath: instancePath + "/websearch", schemaPath: "#/properties/websearch/enum", keyword: "enum", params: { allowedValues: schema31.properties.websearch.enum } };
        vErrors === null ? vErrors = [err29] : vErrors.push(err29), errors++;
      }
    }
  } else {
    let err30 = { instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err30] : vErrors.push(err30), errors++;
  }
  return validate20.errors = vErrors, errors === 0;
}
validate20.evaluated = { props: { prompt: !0, "sourceImage.items": !0, sourceImage: !0, ratio: !0, duration: !0, seed: !0, resolution: !0, fps: !0, generate_audio: !0, return_last_frame: !0, execution_expires_after: !0, websearch: !0 }, dynamicProps: !1, dynamicItems: !1 };
var generateVidmodelv15pro = validate21, schema32 = { type: "object", anyOf: [{ required: ["prompt"] }, { required: ["sourceImage.items"] }, { required: ["sourceImage"] }, { required: ["imageUrl"] }], properties: { prompt: { type: "string", pattern: "\\S" }, "sourceImage.items": { type: "array", minItems: 1, maxItems: 2, items: { type: "string" } }, sourceImage: { type: "string" }, imageUrl: { type: "string", pattern: "^https?://[^\\s,]+(,https?://[^\\s,]+)*$" }, ratio: { type: "string", pattern: "\\S" }, duration: { type: "integer", enum: [5, 10] }, seed: { type: "integer" }, resolution: { type: "string", enum: ["480p", "720p", "1080p"] }, fps: { type: "string", pattern: "\\S" }, fixed_camera: { type: "string", enum: ["0", "1"] }, return_last_frame: { type: "string", enum: ["0", "1"] }, generate_audio: { type: "string", enum: ["0", "1"] } } }, pattern7 = new RegExp("^https?://[^\\s,]+(,https?://[^\\s,]+)*$", "u");
function validate21(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0, evaluated0 = validate21.evaluated;
  evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0);
  let _errs1 = errors, valid0 = !1, _errs2 = errors;
  if (data && typeof data == "object" && !Array.isArray(data) && data.prompt === void 0) {
    let err0 = { instancePath, schemaPath: "#/anyOf/0/required", keyword: "required", params: { missingProperty: "prompt" } };
    vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
  }
  var _valid0 = _errs2 === errors;
  valid0 = valid0 || _valid0;
  let _errs3 = errors;
  if (data && typeof data == "object" && !Array.isArray(data) && data["sourceImage.items"] === void 0) {
    let err1 = { instancePath, schemaPath: "#/anyOf/1/required", keyword: "required", params: { missingProperty: "sourceImage.items" } };
    vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
  }
  var _valid0 = _errs3 === errors;
  valid0 = valid0 || _valid0;
  let _errs4 = errors;
  if (data && typeof data == "object" && !Array.isArray(data) && data.sourceImage === void 0) {
    let err2 = { instancePath, schemaPath: "#/anyOf/2/required", keyword: "required", params: { missingProperty: "sourceImage" } };
    vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
  }
  var _valid0 = _errs4 === errors;
  valid0 = valid0 || _valid0;
  let _errs5 = errors;
  if (data && typeof data == "object" && !Array.isArray(data) && data.imageUrl === void 0) {
    let err3 = { instancePath, schemaPath: "#/anyOf/3/required", keyword: "required", params: { missingProperty: "imageUrl" } };
    vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
  }
  var _valid0 = _errs5 === errors;
  if (valid0 = valid0 || _valid0, valid0)
    errors = _errs1, vErrors !== null && (_errs1 ? vErrors.length = _errs1 : vErrors = null);
  else {
    let err4 = { instancePath, schemaPath: "#/anyOf", keyword: "anyOf", params: {} };
    vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
  }
  if (data && typeof data == "object" && !Array.isArray(data)) {
    if (data.prompt !== void 0) {
      let data0 = data.prompt;
      if (typeof data0 == "string") {
        if (!pattern4.test(data0)) {
          let err5 = { instancePath: instancePath + "/prompt", schemaPath: "#/properties/prompt/pattern", keyword: "pattern", params: { pattern: "\\S" } };
          vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
        }
      } else {
        let err6 = { instancePath: instancePath + "/prompt", schemaPath: "#/properties/prompt/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
      }
    }
    if (data["sourceImage.items"] !== void 0) {
      let data1 = data["sourceImage.items"];
      if (Array.isArray(data1)) {
        if (data1.length > 2) {
          let err7 = { instancePath: instancePath + "/sourceImage.items", schemaPath: "#/properties/sourceImage.items/maxItems", keyword: "maxItems", params: { limit: 2 } };
          vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
        }
        if (data1.length < 1) {
          let err8 = { instancePath: instancePath + "/sourceImage.items", schemaPath: "#/properties/sourceImage.items/minItems", keyword: "minItems", params: { limit: 1 } };
          vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
        }
        let len0 = data1.length;
        for (let i0 = 0; i0 < len0; i0++)
          if (typeof data1[i0] != "string") {
            let err9 = { instancePath: instancePath + "/sourceImage.items/" + i0, schemaPath: "#/properties/sourceImage.items/items/type", keyword: "type", params: { type: "string" } };
            vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
          }
      } else {
        let err10 = { instancePath: instancePath + "/sourceImage.items", schemaPath: "#/properties/sourceImage.items/type", keyword: "type", params: { type: "array" } };
        vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
      }
    }
    if (data.sourceImage !== void 0 && typeof data.sourceImage != "string") {
      let err11 = { instancePath: instancePath + "/sourceImage", schemaPath: "#/properties/sourceImage/type", keyword: "type", params: { type: "string" } };
      vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
    }
    if (data.imageUrl !== void 0) {
      let data4 = data.imageUrl;
      if (typeof data4 == "string") {
        if (!pattern7.test(data4)) {
          let err12 = { instancePath: instancePath + "/imageUrl", schemaPath: "#/properties/imageUrl/pattern", keyword: "pattern", params: { pattern: "^https?://[^\\s,]+(,https?://[^\\s,]+)*$" } };
          vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
        }
      } else {
        let err13 = { instancePath: instancePath + "/imageUrl", schemaPath: "#/properties/imageUrl/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
      }
    }
    if (data.ratio !== void 0) {
      let data5 = data.ratio;
      if (typeof data5 == "string") {
        if (!pattern4.test(data5)) {
          let err14 = { instancePath: instancePath + "/ratio", schemaPath: "#/properties/ratio/pattern", keyword: "pattern", params: { pattern: "\\S" } };
          vErrors === null ? vErrors = [err14] : vErrors.push(err14), errors++;
        }
      } else {
        let err15 = { instancePath: instancePath + "/ratio", schemaPath: "#/properties/ratio/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err15] : vErrors.push(err15), errors++;
      }
    }
    if (data.duration !== void 0) {
      let data6 = data.duration;
      if (!(typeof data6 == "number" && !(data6 % 1) && !isNaN(data6))) {
        let err16 = { instancePath: instancePath + "/duration", schemaPath: "#/properties/duration/type", keyword: "type", params: { type: "integer" } };
        vErrors === null ? vErrors = [err16] : vErrors.push(err16), errors++;
      }
      if (!(data6 === 5 || data6 === 10)) {
        let err17 = { instancePath: instancePath + "/duration", schemaPath: "#/properties/duration/enum", keyword: "enum", params: { allowedValues: schema32.properties.duration.enum } };
        vErrors === null ? vErrors = [err17] : vErrors.push(err17), errors++;
      }
    }
    if (data.seed !== void 0) {
      let data7 = data.seed;
      if (!(typeof data7 == "number" && !(data7 % 1) && !isNaN(data7))) {
        let err18 = { instancePath: instancePath + "/seed", schemaPath: "#/properties/seed/type", keyword: "type", params: { type: "integer" } };
        vErrors === null ? vErrors = [err18] : vErrors.push(err18), errors++;
      }
    }
    if (data.resolution !== void 0) {
      let data8 = data.resolution;
      if (typeof data8 != "string") {
        let err19 = { instancePath: instancePath + "/resolution", schemaPath: "#/properties/resolution/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err19] : vErrors.push(err19), errors++;
      }
      if (!(data8 === "480p" || data8 === "720p" || data8 === "1080p")) {
        let err20 = { instancePath: instancePath + "/resolution", schemaPath: "#/properties/resolution/enum", keyword: "enum", params: { allowedValues: schema32.properties.resolution.enum } };
        vErrors === null ? vErrors = [err20] : vErrors.push(err20), errors++;
      }
    }
    if (data.fps !== void 0) {
      let data9 = data.fps;
      if (typeof data9 == "string") {
        if (!pattern4.test(data9)) {
          let err21 = { instancePath: instancePath + "/fps", schemaPath: "#/properties/fps/pattern", keyword: "pattern", params: { pattern: "\\S" } };
          vErrors === null ? vErrors = [err21] : vErrors.push(err21), errors++;
        }
      } else {
        let err22 = { instancePath: instancePath + "/fps", schemaPath: "#/properties/fps/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err22] : vErrors.push(err22), errors++;
      }
    }
    if (data.fixed_camera !== void 0) {
      let data10 = data.fixed_camera;
      if (typeof data10 != "string") {
        let err23 = { instancePath: instancePath + "/fixed_camera", schemaPath: "#/properties/fixed_camera/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err23] : vErrors.push(err23), errors++;
      }
      if (!(data10 === "0" || data10 === "1")) {
        let err24 = { instancePath: instancePath + "/fixed_camera", schemaPath: "#/properties/fixed_camera/enum", keyword: "enum", params: { allowedValues: schema32.properties.fixed_camera.enum } };
        vErrors === null ? vErrors = [err24] : vErrors.push(err24), errors++;
      }
    }
    if (data.return_last_frame !== void 0) {
      let data11 = data.return_last_frame;
      if (typeof data11 != "string") {
        let err25 = { instancePath: instancePath + "/return_last_frame", schemaPath: "#/properties/return_last_frame/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err25] : vErrors.push(err25), errors++;
      }
      if (!(data11 === "0" || data11 === "1")) {
        let err26 = { instancePath: instancePath + "/return_last_frame", schemaPath: "#/properties/return_last_frame/enum", keyword: "enum", params: { allowedValues: schema32.properties.return_last_frame.enum } };
        vErrors === null ? vErrors = [err26] : vErrors.push(err26), errors++;
      }
    }
    if (data.generate_audio !== void 0) {
      let data12 = data.generate_audio;
      if (typeof data12 != "string") {
        let err27 = { instancePath: instancePath + "/generate_audio", schemaPath: "#/properties/generate_audio/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err27] : vErrors.push(err27), errors++;
      }
      if (!(data12 === "0" || data12 === "1")) {
        let err28 = { instancePath: instancePath + "/generate_audio", schemaPath: "#/properties/generate_audio/enum", keyword: "enum", params: { allowedValues: schema32.properties.generate_audio.enum } };
        vErrors === null ? vErrors = [err28] : vErrors.push(err28), errors++;
      }
    }
  } else {
    let err29 = { instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err29] : vErrors.push(err29), errors++;
  }
  return validate21.errors = vErrors, errors === 0;
}
validate21.evaluated = { props: { prompt: !0, "sourceImage.items": !0, sourceImage: !0, imageUrl: !0, ratio: !0, duration: !0, seed: !0, resolution: !0, fps: !0, fixed_camera: !0, return_last_frame: !0, generate_audio: !0 }, dynamicProps: !1, dynamicItems: !1 };
var queryVideoTask = validate22;
function validate22(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0, evaluated0 = validate22.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data.taskid === void 0) {
      let err0 = { instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: "taskid" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.taskid !== void 0 && typeof data.taskid != "string") {
      let err1 = { instancePath: instancePath + "/taskid", schemaPath: "#/properties/taskid/type", keyword: "type", params: { type: "string" } };
      vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
    }
    if (data.moreTaskInfo !== void 0 && typeof data.moreTaskInfo != "boolean") {
      let err2 = { instancePath: instancePath + "/moreTaskInfo", schemaPath: "#/properties/moreTaskInfo/type", keyword: "type", params: { type: "boolean" } };
      vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
    }
  } else {
    let err3 = { instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
  }
  return validate22.errors = vErrors, errors === 0;
}
validate22.evaluated = { props: { taskid: !0, moreTaskInfo: !0 }, dynamicProps: !1, dynamicItems: !1 };
var deleteVideoTasks = validate23;
function validate23(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0, evaluated0 = validate23.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data.taskids === void 0) {
      let err0 = { instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: "taskids" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.taskids !== void 0) {
      let data0 = data.taskids;
      if (Array.isArray(data0)) {
        let len0 = data0.length;
        for (let i0 = 0; i0 < len0; i0++)
          if (typeof data0[i0] != "string") {
            let err1 = { instancePath: instancePath + "/taskids/" + i0, schemaPath: "#/properties/taskids/items/type", keyword: "type", params: { type: "string" } };
            vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
          }
      } else {
        let err2 = { instancePath: instancePath + "/taskids", schemaPath: "#/properties/taskids/type", keyword: "type", params: { type: "array" } };
        vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
      }
    }
  } else {
    let err3 = { instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
  }
  return validate23.errors = vErrors, errors === 0;
}
validate23.evaluated = { props: { taskids: !0 }, dynamicProps: !1, dynamicItems: !1 };
var generateImgmodelv45 = validate24, schema35 = { type: "object", required: ["prompt"], properties: { category: { type: "string", pattern: "\\S" }, prompt: { type: "string", pattern: "\\S" }, batchsize: { type: "integer", minimum: 1, maximum: 15 }, resolution: { anyOf: [{ type: "string", enum: ["9:16", "16:9", "3:4", "4:3", "1:1", "2:3", "3:2"] }, { type: "string", enum: ["2K", "4K"] }, { type: "string", pattern: "^[1-9][0-9]*x[1-9][0-9]*$", "x-total-pixels": { minimum: 3686400, maximum: 16777216 } }] }, "sourceImage.items": { type: "string" }, sourceImage: { type: "string" }, imageUrl: { type: "string", pattern: "^https?://\\S+$" } } }, pattern12 = new RegExp("^[1-9][0-9]*x[1-9][0-9]*$", "u"), pattern13 = new RegExp("^https?://\\S+$", "u");
function validate24(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0, evaluated0 = validate24.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data.prompt === void 0) {
      let err0 = { instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: "prompt" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.category !== void 0) {
      let data0 = data.category;
      if (typeof data0 == "string") {
        if (!pattern4.test(data0)) {
          let err1 = { instancePath: instancePath + "/category", schemaPath: "#/properties/category/pattern", keyword: "pattern", params: { pattern: "\\S" } };
          vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
        }
      } else {
        let err2 = { instancePath: instancePath + "/category", schemaPath: "#/properties/category/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
      }
    }
    if (data.prompt !== void 0) {
      let data1 = data.prompt;
      if (typeof data1 == "string") {
        if (!pattern4.test(data1)) {
          let err3 = { instancePath: instancePath + "/prompt", schemaPath: "#/properties/prompt/pattern", keyword: "pattern", params: { pattern: "\\S" } };
          vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
        }
      } else {
        let err4 = { instancePath: instancePath + "/prompt", schemaPath: "#/properties/prompt/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
      }
    }
    if (data.batchsize !== void 0) {
      let data2 = data.batchsize;
      if (!(typeof data2 == "number" && !(data2 % 1) && !isNaN(data2))) {
        let err5 = { instancePath: instancePath + "/batchsize", schemaPath: "#/properties/batchsize/type", keyword: "type", params: { type: "integer" } };
        vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
      }
      if (typeof data2 == "number") {
        if (data2 > 15 || isNaN(data2)) {
          let err6 = { instancePath: instancePath + "/batchsize", schemaPath: "#/properties/batchsize/maximum", keyword: "maximum", params: { comparison: "<=", limit: 15 } };
          vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
        }
        if (data2 < 1 || isNaN(data2)) {
          let err7 = { instancePath: instancePath + "/batchsize", schemaPath: "#/properties/batchsize/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
          vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
        }
      }
    }
    if (data.resolution !== void 0) {
      let data3 = data.resolution, _errs8 = errors, valid1 = !1, _errs9 = errors;
      if (typeof data3 != "string") {
        let err8 = { instancePath: instancePath + "/resolution", schemaPath: "#/properties/resolution/anyOf/0/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
      }
      if (!(data3 === "9:16" || data3 === "16:9" || data3 === "3:4" || data3 === "4:3" || data3 === "1:1" || data3 === "2:3" || data3 === "3:2")) {
        let err9 = { instancePath: instancePath + "/resolution", schemaPath: "#/properties/resolution/anyOf/0/enum", keyword: "enum", params: { allowedValues: schema35.properties.resolution.anyOf[0].enum } };
        vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
      }
      var _valid0 = _errs9 === errors;
      valid1 = valid1 || _valid0;
      let _errs11 = errors;
      if (typeof data3 != "string") {
        let err10 = { instancePath: instancePath + "/resolution", schemaPath: "#/properties/resolution/anyOf/1/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
      }
      if (!(data3 === "2K" || data3 === "4K")) {
        let err11 = { instancePath: instancePath + "/resolution", schemaPath: "#/properties/resolution/anyOf/1/enum", keyword: "enum", params: { allowedValues: schema35.properties.resolution.anyOf[1].enum } };
        vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
      }
      var _valid0 = _errs11 === errors;
      valid1 = valid1 || _valid0;
      let _errs13 = errors;
      if (typeof data3 == "string") {
        if (!pattern12.test(data3)) {
          let err12 = { instancePath: instancePath + "/resolution", schemaPath: "#/properties/resolution/anyOf/2/pattern", keyword: "pattern", params: { pattern: "^[1-9][0-9]*x[1-9][0-9]*$" } };
          vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
        }
        let sides0 = data3.match(/\d+/g) || [], pixels0 = sides0[0] * sides0[1];
        if (pixels0 < 3686400 || pixels0 > 16777216) {
          let err13 = { instancePath: instancePath + "/resolution", schemaPath: "#/properties/resolution/anyOf/2/x-total-pixels", keyword: "x-total-pixels", params: { minimum: 3686400, maximum: 16777216 } };
          vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
        }
      } else {
        let err14 = { instancePath: instancePath + "/resolution", schemaPath: "#/properties/resolution/anyOf/2/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err14] : vErrors.push(err14), errors++;
      }
      var _valid0 = _errs13 === errors;
      if (valid1 = valid1 || _valid0, valid1)
        errors = _errs8, vErrors !== null && (_errs8 ? vErrors.length = _errs8 : vErrors = null);
      else {
        let err15 = { instancePath: instancePath + "/resolution", schemaPath: "#/properties/resolution/anyOf", keyword: "anyOf", params: {} };
        vErrors === null ? vErrors = [err15] : vErrors.push(err15), errors++;
      }
    }
    if (data["sourceImage.items"] !== void 0 && typeof data["sourceImage.items"] != "string") {
      let err16 = { instancePath: instancePath + "/sourceImage.items", schemaPath: "#/properties/sourceImage.items/type", keyword: "type", params: { type: "string" } };
      vErrors === null ? vErrors = [err16] : vErrors.push(err16), errors++;
    }
    if (data.sourceImage !== void 0 && typeof data.sourceImage != "string") {
      let err17 = { instancePath: instancePath + "/sourceImage", schemaPath: "#/properties/sourceImage/type", keyword: "type", params: { type: "string" } };
      vErrors === null ? vErrors = [err17] : vErrors.push(err17), errors++;
    }
    if (data.imageUrl !== void 0) {
      let data6 = data.imageUrl;
      if (typeof data6 == "string") {
        if (!pattern13.test(data6)) {
          let err18 = { instancePath: instancePath + "/imageUrl", schemaPath: "#/properties/imageUrl/pattern", keyword: "pattern", params: { pattern: "^https?://\\S+$" } };
          vErrors === null ? vErrors = [err18] : vErrors.push(err18), errors++;
        }
      } else {
        let err19 = { instancePath: instancePath + "/imageUrl", schemaPath: "#/properties/imageUrl/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err19] : vErrors.push(err19), errors++;
      }
    }
  } else {
    let err20 = { instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err20] : vErrors.push(err20), errors++;
  }
  return validate24.errors = vErrors, errors === 0;
}
validate24.evaluated = { props: { category: !0, prompt: !0, batchsize: !0, resolution: !0, "sourceImage.items": !0, sourceImage: !0, imageUrl: !0 }, dynamicProps: !1, dynamicItems: !1 };
var generateImgmodelv5 = validate25;
function validate25(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0, evaluated0 = validate25.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data.prompt === void 0) {
      let err0 = { instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: "prompt" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.category !== void 0) {
      let data0 = data.category;
      if (typeof data0 == "string") {
        if (!pattern4.test(data0)) {
          let err1 = { instancePath: instancePath + "/category", schemaPath: "#/properties/category/pattern", keyword: "pattern", params: { pattern: "\\S" } };
          vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
        }
      } else {
        let err2 = { instancePath: instancePath + "/category", schemaPath: "#/properties/category/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
      }
    }
    if (data.prompt !== void 0) {
      let data1 = data.prompt;
      if (typeof data1 == "string") {
        if (!pattern4.test(data1)) {
          let err3 = { instancePath: instancePath + "/prompt", schemaPath: "#/properties/prompt/pattern", keyword: "pattern", params: { pattern: "\\S" } };
          vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
        }
      } else {
        let err4 = { instancePath: instancePath + "/prompt", schemaPath: "#/properties/prompt/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
      }
    }
    if (data.batchsize !== void 0) {
      let data2 = data.batchsize;
      if (!(typeof data2 == "number" && !(data2 % 1) && !isNaN(data2))) {
        let err5 = { instancePath: instancePath + "/batchsize", schemaPath: "#/properties/batchsize/type", keyword: "type", params: { type: "integer" } };
        vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
      }
    }
    if (data.resolution !== void 0) {
      let data3 = data.resolution;
      if (typeof data3 == "string") {
        if (!pattern4.test(data3)) {
          let err6 = { instancePath: instancePath + "/resolution", schemaPath: "#/properties/resolution/pattern", keyword: "pattern", params: { pattern: "\\S" } };
          vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
        }
      } else {
        let err7 = { instancePath: instancePath + "/resolution", schemaPath: "#/properties/resolution/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
      }
    }
    if (data["sourceImage.items"] !== void 0 && typeof data["sourceImage.items"] != "string") {
      let err8 = { instancePath: instancePath + "/sourceImage.items", schemaPath: "#/properties/sourceImage.items/type", keyword: "type", params: { type: "string" } };
      vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
    }
    if (data.sourceImage !== void 0 && typeof data.sourceImage != "string") {
      let err9 = { instancePath: instancePath + "/sourceImage", schemaPath: "#/properties/sourceImage/type", keyword: "type", params: { type: "string" } };
      vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
    }
    if (data.imageUrl !== void 0) {
      let data6 = data.imageUrl;
      if (typeof data6 == "string") {
        if (!pattern13.test(data6)) {
          let err10 = { instancePath: instancePath + "/imageUrl", schemaPath: "#/properties/imageUrl/pattern", keyword: "pattern", params: { pattern: "^https?://\\S+$" } };
          vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
        }
      } else {
        let err11 = { instancePath: instancePath + "/imageUrl", schemaPath: "#/properties/imageUrl/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
      }
    }
  } else {
    let err12 = { instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
  }
  return validate25.errors = vErrors, errors === 0;
}
validate25.evaluated = { props: { category: !0, prompt: !0, batchsize: !0, resolution: !0, "sourceImage.items": !0, sourceImage: !0, imageUrl: !0 }, dynamicProps: !1, dynamicItems: !1 };
var generateImgmodelv4 = validate26, schema37 = { type: "object", required: ["prompt"], properties: { category: { type: "string", pattern: "\\S" }, prompt: { type: "string", pattern: "\\S" }, batchsize: { type: "integer", minimum: 1, maximum: 15 }, resolution: { type: "string", enum: ["9:16", "16:9", "3:4", "4:3", "1:1"] }, "sourceImage.items": { type: "string" }, sourceImage: { type: "string" }, imageUrl: { type: "string", pattern: "^https?://\\S+$" } } };
function validate26(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0, evaluated0 = validate26.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data.prompt === void 0) {
      let err0 = { instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: "prompt" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.category !== void 0) {
      let data0 = data.category;
      if (typeof data0 == "string") {
        if (!pattern4.test(data0)) {
          let err1 = { instancePath: instancePath + "/category", schemaPath: "#/properties/category/pattern", keyword: "pattern", params: { pattern: "\\S" } };
          vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
        }
      } else {
        let err2 = { instancePath: instancePath + "/category", schemaPath: "#/properties/category/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
      }
    }
    if (data.prompt !== void 0) {
      let data1 = data.prompt;
      if (typeof data1 == "string") {
        if (!pattern4.test(data1)) {
          let err3 = { instancePath: instancePath + "/prompt", schemaPath: "#/properties/prompt/pattern", keyword: "pattern", params: { pattern: "\\S" } };
          vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
        }
      } else {
        let err4 = { instancePath: instancePath + "/prompt", schemaPath: "#/properties/prompt/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
      }
    }
    if (data.batchsize !== void 0) {
      let data2 = data.batchsize;
      if (!(typeof data2 == "number" && !(data2 % 1) && !isNaN(data2))) {
        let err5 = { instancePath: instancePath + "/batchsize", schemaPath: "#/properties/batchsize/type", keyword: "type", params: { type: "integer" } };
        vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
      }
      if (typeof data2 == "number") {
        if (data2 > 15 || isNaN(data2)) {
          let err6 = { instancePath: instancePath + "/batchsize", schemaPath: "#/properties/batchsize/maximum", keyword: "maximum", params: { comparison: "<=", limit: 15 } };
          vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
        }
        if (data2 < 1 || isNaN(data2)) {
          let err7 = { instancePath: instancePath + "/batchsize", schemaPath: "#/properties/batchsize/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
          vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
        }
      }
    }
    if (data.resolution !== void 0) {
      let data3 = data.resolution;
      if (typeof data3 != "string") {
        let err8 = { instancePath: instancePath + "/resolution", schemaPath: "#/properties/resolution/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
      }
      if (!(data3 === "9:16" || data3 === "16:9" || data3 === "3:4" || data3 === "4:3" || data3 === "1:1")) {
        let err9 = { instancePath: instancePath + "/resolution", schemaPath: "#/properties/resolution/enum", keyword: "enum", params: { allowedValues: schema37.properties.resolution.enum } };
        vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
      }
    }
    if (data["sourceImage.items"] !== void 0 && typeof data["sourceImage.items"] != "string") {
      let err10 = { instancePath: instancePath + "/sourceImage.items", schemaPath: "#/properties/sourceImage.items/type", keyword: "type", params: { type: "string" } };
      vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
    }
    if (data.sourceImage !== void 0 && typeof data.sourceImage != "string") {
      let err11 = { instancePath: instancePath + "/sourceImage", schemaPath: "#/properties/sourceImage/type", keyword: "type", params: { type: "string" } };
      vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
    }
    if (data.imageUrl !== void 0) {
      let data6 = data.imageUrl;
      if (typeof data6 == "string") {
        if (!pattern13.test(data6)) {
          let err12 = { instancePath: instancePath + "/imageUrl", schemaPath: "#/properties/imageUrl/pattern", keyword: "pattern", params: { pattern: "^https?://\\S+$" } };
          vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
        }
      } else {
        let err13 = { instancePath: instancePath + "/imageUrl", schemaPath: "#/properties/imageUrl/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
      }
    }
  } else {
    let err14 = { instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err14] : vErrors.push(err14), errors++;
  }
  return validate26.errors = vErrors, errors === 0;
}
validate26.evaluated = { props: { category: !0, prompt: !0, batchsize: !0, resolution: !0, "sourceImage.items": !0, sourceImage: !0, imageUrl: !0 }, dynamicProps: !1, dynamicItems: !1 };
var generateImgmodelz = validate27;
var pattern22 = new RegExp("^[1-9][0-9]*\\*[1-9][0-9]*$", "u");
function validate27(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0, evaluated0 = validate27.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data.prompt === void 0) {
      let err0 = { instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: "prompt" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.prompt !== void 0) {
      let data0 = data.prompt;
      if (typeof data0 == "string") {
        if (!pattern4.test(data0)) {
          let err1 = { instancePath: instancePath + "/prompt", schemaPath: "#/properties/prompt/pattern", keyword: "pattern", params: { pattern: "\\S" } };
          vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
        }
      } else {
        let err2 = { instancePath: instancePath + "/prompt", schemaPath: "#/properties/prompt/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
      }
    }
    if (data.resolution !== void 0) {
      let data1 = data.resolution;
      if (typeof data1 == "string") {
        if (!pattern22.test(data1)) {
          let err3 = { instancePath: instancePath + "/resolution", schemaPath: "#/properties/resolution/pattern", keyword: "pattern", params: { pattern: "^[1-9][0-9]*\\*[1-9][0-9]*$" } };
          vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
        }
      } else {
        let err4 = { instancePath: instancePath + "/resolution", schemaPath: "#/properties/resolution/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
      }
    }
    if (data.seed !== void 0) {
      let data2 = data.seed;
      if (!(typeof data2 == "number" && !(data2 % 1) && !isNaN(data2))) {
        let err5 = { instancePath: instancePath + "/seed", schemaPath: "#/properties/seed/type", keyword: "type", params: { type: "integer" } };
        vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
      }
    }
  } else {
    let err6 = { instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
  }
  return validate27.errors = vErrors, errors === 0;
}
validate27.evaluated = { props: { prompt: !0, resolution: !0, seed: !0 }, dynamicProps: !1, dynamicItems: !1 };
var queryImageTask = validate28;
function validate28(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0, evaluated0 = validate28.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data.taskid === void 0) {
      let err0 = { instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: "taskid" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.taskid !== void 0 && typeof data.taskid != "string") {
      let err1 = { instancePath: instancePath + "/taskid", schemaPath: "#/properties/taskid/type", keyword: "type", params: { type: "string" } };
      vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
    }
  } else {
    let err2 = { instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
  }
  return validate28.errors = vErrors, errors === 0;
}
validate28.evaluated = { props: { taskid: !0 }, dynamicProps: !1, dynamicItems: !1 };
var deleteImageTasks = validate29;
function validate29(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0, evaluated0 = validate29.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data.taskids === void 0) {
      let err0 = { instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: "taskids" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.taskids !== void 0) {
      let data0 = data.taskids;
      if (Array.isArray(data0)) {
        let len0 = data0.length;
        for (let i0 = 0; i0 < len0; i0++)
          if (typeof data0[i0] != "string") {
            let err1 = { instancePath: instancePath + "/taskids/" + i0, schemaPath: "#/properties/taskids/items/type", keyword: "type", params: { type: "string" } };
            vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
          }
      } else {
        let err2 = { instancePath: instancePath + "/taskids", schemaPath: "#/properties/taskids/type", keyword: "type", params: { type: "array" } };
        vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
      }
    }
    if (data.uid !== void 0 && typeof data.uid != "string") {
      let err3 = { instancePath: instancePath + "/uid", schemaPath: "#/properties/uid/type", keyword: "type", params: { type: "string" } };
      vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
    }
  } else {
    let err4 = { instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
  }
  return validate29.errors = vErrors, errors === 0;
}
validate29.evaluated = { props: { taskids: !0, uid: !0 }, dynamicProps: !1, dynamicItems: !1 };


/** A validator of each operation's request body. */
export const validators: Readonly<Record<string, Validate>> = {
  generateVidmodelv2: generateVidmodelv2,
  generateVidmodelv2fast: generateVidmodelv2,
  generateVidmodelv15pro: generateVidmodelv15pro,
  queryVideoTask: queryVideoTask,
  deleteVideoTasks: deleteVideoTasks,
  generateImgmodelv45: generateImgmodelv45,
  generateImgmodelv5: generateImgmodelv5,
  generateImgmodelv4: generateImgmodelv4,
  generateImgmodelz: generateImgmodelz,
  queryImageTask: queryImageTask,
  deleteImageTasks: deleteImageTasks
};
