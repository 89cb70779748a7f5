;; Dot products of one vector with many. Each is a row of signed 16-bit numbers whose length is a multiple of 16.
;; Products of two pairs are added as integers, since they fit into 32 bits, and then as floats.
(module
  (import "env" "memory" (memory 1))
  (func (export "dots") (param $query i32) (param $at i32) (param $count i32) (param $bytes i32) (param $out i32)
    (local $q i32) (local $end i32) (local $last i32) (local $one v128) (local $other v128)
    (if (i32.eqz (local.get $count)) (then (return)))
    (local.set $last (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 2))))
    (loop $each
      (local.set $q (local.get $query))
      (local.set $end (i32.add (local.get $at) (local.get $bytes)))
      (local.set $one (v128.const f32x4 0 0 0 0))
      (local.set $other (v128.const f32x4 0 0 0 0))
      (loop $piece
        (local.set $one (f32x4.add (local.get $one) (f32x4.convert_i32x4_s
          (i32x4.dot_i16x8_s (v128.load (local.get $q)) (v128.load (local.get $at))))))
        (local.set $other (f32x4.add (local.get $other) (f32x4.convert_i32x4_s
          (i32x4.dot_i16x8_s (v128.load offset=16 (local.get $q)) (v128.load offset=16 (local.get $at))))))
        (local.set $q (i32.add (local.get $q) (i32.const 32)))
        (local.set $at (i32.add (local.get $at) (i32.const 32)))
        (br_if $piece (i32.lt_u (local.get $at) (local.get $end))))
      (local.set $one (f32x4.add (local.get $one) (local.get $other)))
      (f32.store (local.get $out) (f32.add
        (f32.add (f32x4.extract_lane 0 (local.get $one)) (f32x4.extract_lane 1 (local.get $one)))
        (f32.add (f32x4.extract_lane 2 (local.get $one)) (f32x4.extract_lane 3 (local.get $one)))))
      (local.set $out (i32.add (local.get $out) (i32.const 4)))
      (br_if $each (i32.lt_u (local.get $out) (local.get $last))))))
