;; Dot products of one vector with many. The one is a row of signed 16-bit numbers, whose length is a multiple of 16. The many are
;; in two planes of signed bytes, each with their rows end to end: a number is 256 times its high byte plus its low byte.
(module
  (import "env" "memory" (memory 1))
  ;; Products of two pairs are added as integers, since they fit into 32 bits, and then as floats.
  (func (export "dots") (param $query i32) (param $high i32) (param $low i32) (param $count i32) (param $length i32) (param $out i32)
    (local $q i32) (local $end i32) (local $last i32) (local $one v128) (local $other v128)
    (if (i32.eqz (local.get $count)) (then (return)))
    (local.set $last (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 2))))
    (loop $each
      (local.set $q (local.get $query))
      (local.set $end (i32.add (local.get $high) (local.get $length)))
      (local.set $one (v128.const f32x4 0 0 0 0))
      (local.set $other (v128.const f32x4 0 0 0 0))
      (loop $piece
        (local.set $one (f32x4.add (local.get $one) (f32x4.convert_i32x4_s
          (i32x4.dot_i16x8_s (v128.load (local.get $q)) (i16x8.add
            (i16x8.shl (v128.load8x8_s (local.get $high)) (i32.const 8))
            (v128.load8x8_s (local.get $low)))))))
        (local.set $other (f32x4.add (local.get $other) (f32x4.convert_i32x4_s
          (i32x4.dot_i16x8_s (v128.load offset=16 (local.get $q)) (i16x8.add
            (i16x8.shl (v128.load8x8_s offset=8 (local.get $high)) (i32.const 8))
            (v128.load8x8_s offset=8 (local.get $low)))))))
        (local.set $q (i32.add (local.get $q) (i32.const 32)))
        (local.set $high (i32.add (local.get $high) (i32.const 16)))
        (local.set $low (i32.add (local.get $low) (i32.const 16)))
        (br_if $piece (i32.lt_u (local.get $high) (local.get $end))))
      (local.set $one (f32x4.add (local.get $one) (local.get $other)))
      (f32.store (local.get $out) (f32.add
        (f32.add (f32x4.extract_lane 0 (local.get $one)) (f32x4.extract_lane 1 (local.get $one)))
        (f32.add (f32x4.extract_lane 2 (local.get $one)) (f32x4.extract_lane 3 (local.get $one)))))
      (local.set $out (i32.add (local.get $out) (i32.const 4)))
      (br_if $each (i32.lt_u (local.get $out) (local.get $last)))))
  ;; The same of the high bytes alone, as 256 times as much. Up to 4,096 numbers, all sums fit into 32 bits.
  (func (export "rough") (param $query i32) (param $high i32) (param $count i32) (param $length i32) (param $out i32)
    (local $q i32) (local $end i32) (local $last i32) (local $one v128) (local $other v128)
    (if (i32.eqz (local.get $count)) (then (return)))
    (local.set $last (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 2))))
    (loop $each
      (local.set $q (local.get $query))
      (local.set $end (i32.add (local.get $high) (local.get $length)))
      (local.set $one (v128.const i32x4 0 0 0 0))
      (local.set $other (v128.const i32x4 0 0 0 0))
      (loop $piece
        (local.set $one (i32x4.add (local.get $one)
          (i32x4.dot_i16x8_s (v128.load (local.get $q)) (v128.load8x8_s (local.get $high)))))
        (local.set $other (i32x4.add (local.get $other)
          (i32x4.dot_i16x8_s (v128.load offset=16 (local.get $q)) (v128.load8x8_s offset=8 (local.get $high)))))
        (local.set $q (i32.add (local.get $q) (i32.const 32)))
        (local.set $high (i32.add (local.get $high) (i32.const 16)))
        (br_if $piece (i32.lt_u (local.get $high) (local.get $end))))
      (local.set $one (f32x4.add (f32x4.convert_i32x4_s (local.get $one)) (f32x4.convert_i32x4_s (local.get $other))))
      (f32.store (local.get $out) (f32.mul (f32.const 256) (f32.add
        (f32.add (f32x4.extract_lane 0 (local.get $one)) (f32x4.extract_lane 1 (local.get $one)))
        (f32.add (f32x4.extract_lane 2 (local.get $one)) (f32x4.extract_lane 3 (local.get $one))))))
      (local.set $out (i32.add (local.get $out) (i32.const 4)))
      (br_if $each (i32.lt_u (local.get $out) (local.get $last))))))
